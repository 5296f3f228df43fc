/* locales.c: see locales.h. */
#include "config.h"

#include "testing/locales.h"

#include "testing.h"

#include "testing/files.h"

#include <locale.h>

static bool set(const char *name)
{
    return setlocale(LC_ALL, name) != NULL && localeconv()->decimal_point[0] == ',';
}

bool locales_decimal_comma(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "ru_RU.UTF-8"};
    const char *folder = files_folder();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (set(names[i]))
            return true;
    /* a small character set: four times as fast as UTF-8 */
    if (system(files_print("localedef -c -i de_DE -f ISO-8859-15 %s/de_DE.ISO-8859-15 >/dev/null 2>&1", folder)) != 0)
        return false;
    setenv("LOCPATH", folder, 1);
    return set("de_DE.ISO-8859-15");
}
