# Of grader/diagnosis, what the explorer has of the catalogue; chapters.cpp has their order.
set(explorer_catalogue
    catalogue mistakes/scale mistakes/softmax mistakes/after_softmax mistakes/mask_reading mistakes/mask_blocking
    mistakes/causal_and_padding mistakes/scoring mistakes/weighing mistakes/projecting mistakes/splitting mistakes/merging
    mistakes/output mistakes/equivalents)
