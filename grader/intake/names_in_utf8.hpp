#pragma once

#include <locale.h>

namespace headway::intake {

/// libarchive makes of names what the locale can hold. In most containers that is ASCII, and a name that does not fit
/// is none; so while an archive is read or written, this thread's locale is UTF-8.
class NamesInUtf8 {
public:
    NamesInUtf8() : locale_(::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)) {
        if (locale_ != nullptr) before_ = ::uselocale(locale_);
    }
    NamesInUtf8(const NamesInUtf8&) = delete;
    NamesInUtf8& operator=(const NamesInUtf8&) = delete;
    ~NamesInUtf8() {
        if (locale_ == nullptr) return;
        ::uselocale(before_);
        ::freelocale(locale_);
    }

private:
    locale_t locale_, before_ = nullptr;
};

}  // namespace headway::intake
