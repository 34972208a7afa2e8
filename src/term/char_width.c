/*
 * char_width.c - wcwidth for UTF-8, independent of the user's locale.
 *
 * The locale is changed only during the call of wcwidth, so that no other code is affected.
 */
#include "term/char_width.h"

#include <locale.h>
#include <wchar.h>

/* Made once and kept; 0 where the system has no such locale. */
static locale_t utf8_locale(void)
{
    static locale_t made;
    static int tried;

    if (!tried)
        made = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    tried = 1;
    return made;
}

static int ascii_width(uint32_t c)
{
    return c < 0x20 || c == 0x7f ? -1 : 1;
}

int char_width(uint32_t c)
{
    locale_t utf8, before;
    int width;

    if (c < 0x80)
        return ascii_width(c);
    utf8 = utf8_locale();
    if (!utf8)
        return c < 0xa0 ? -1 : 1;
    before = uselocale(utf8);
    width = wcwidth((wchar_t)c);
    uselocale(before);
    return width;
}
