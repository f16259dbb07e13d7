#include <filesystem>

void attack() {
    for (const auto& entry : std::filesystem::directory_iterator("@CANARY_FOLDER@")) succeeded(entry.path().c_str());
}
