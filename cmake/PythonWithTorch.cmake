# HEADWAY_PYTHON_WITH_TORCH: a Python that may have PyTorch; who uses it copes where it has none. The system's comes
# first, since that is the one for which Debian packages it (python3-torch).
find_program(HEADWAY_PYTHON_WITH_TORCH NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(HEADWAY_PYTHON_WITH_TORCH NAMES python3 DOC "A Python that has PyTorch")
