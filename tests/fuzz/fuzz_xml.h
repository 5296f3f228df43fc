/* fuzz_xml.h: is it well-formed XML? Of XML 1.0 what pictures use: elements, attributes in double quotes, character and
 * named references; no comments, no declarations. */
#ifndef ATTN_TESTS_FUZZ_XML_H
#define ATTN_TESTS_FUZZ_XML_H

#include "fuzz.h"

#include "base/utf8.h"

enum { XML_DEPTH = 64, XML_NAME = 64 };

typedef struct fuzz_xml {
    const char *at, *end;
    char open[XML_DEPTH][XML_NAME]; /* names of the elements we are in */
    size_t depth;
} fuzz_xml;

/* XML 1.0, 2.2: no other characters, not as references either. */
static inline bool xml_may_hold(int64_t point)
{
    return point == '\t' || point == '\n' || point == '\r' || (point >= 0x20 && point < 0xD800) ||
           (point >= 0xE000 && point < 0xFFFE) || (point >= 0x10000 && point < 0x110000);
}

static inline bool xml_reference(fuzz_xml *xml)
{
    static const char *const names[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
    const size_t left = (size_t)(xml->end - xml->at);
    char *behind;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) <= left && memcmp(xml->at, names[i], strlen(names[i])) == 0) {
            xml->at += strlen(names[i]);
            return true;
        }
    if (left < 4 || xml->at[1] != '#')
        return false;
    const bool hex = xml->at[2] == 'x';
    const long point = strtol(xml->at + 2 + hex, &behind, hex ? 16 : 10);
    xml->at = behind + 1;
    return *behind == ';' && xml_may_hold(point);
}

/* What stands between tags, or (QUOTED) within an attribute's quotes. */
static inline bool xml_text(fuzz_xml *xml, bool quoted)
{
    while (xml->at < xml->end && *xml->at != '<' && !(quoted && *xml->at == '"')) {
        size_t length;
        if (*xml->at == '&') {
            if (!xml_reference(xml))
                return false;
            continue;
        }
        if (!xml_may_hold(
                attn_utf8_decode((attn_bytes){(const uint8_t *)xml->at, (size_t)(xml->end - xml->at)}, 0, &length)))
            return false;
        if (xml->end - xml->at >= 3 && memcmp(xml->at, "]]>", 3) == 0)
            return false;
        xml->at += length;
    }
    return true;
}

static inline bool xml_name(fuzz_xml *xml, char name[XML_NAME])
{
    size_t n = 0;
    while (xml->at < xml->end && n + 1 < XML_NAME && strchr(" \n\t=/>\"'<&", *xml->at) == NULL)
        name[n++] = *xml->at++;
    name[n] = '\0';
    return n > 0 && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_:.") == n;
}

static inline bool xml_end_tag(fuzz_xml *xml)
{
    char name[XML_NAME];
    xml->at += 2;
    return xml_name(xml, name) && xml->depth > 0 && strcmp(xml->open[--xml->depth], name) == 0 && xml->at < xml->end &&
           *xml->at++ == '>';
}

static inline bool xml_attribute(fuzz_xml *xml)
{
    char name[XML_NAME];
    if (!xml_name(xml, name) || xml->end - xml->at < 3 || memcmp(xml->at, "=\"", 2) != 0)
        return false;
    xml->at += 2;
    return strncmp(name, "on", 2) != 0 && xml_text(xml, true) && xml->at < xml->end && *xml->at++ == '"';
}

static inline bool xml_tag(fuzz_xml *xml)
{
    if (xml->end - xml->at > 1 && xml->at[1] == '/')
        return xml_end_tag(xml);
    xml->at++;
    if (xml->depth == XML_DEPTH || !xml_name(xml, xml->open[xml->depth++]))
        return false;
    while (xml->at < xml->end && *xml->at != '>' && *xml->at != '/') {
        xml->at += strspn(xml->at, " \n\t");
        if (xml->at < xml->end && *xml->at != '>' && *xml->at != '/' && !xml_attribute(xml))
            return false;
    }
    if (xml->at < xml->end && *xml->at == '/') {
        xml->at++;
        xml->depth--;
    }
    return xml->at < xml->end && *xml->at++ == '>';
}

/* SIZE bytes at TEXT, a NUL behind them. One element and white space around it. */
static inline bool fuzz_xml_sound(const char *text, size_t size)
{
    fuzz_xml xml = {.at = text, .end = text + size};
    size_t roots = 0;
    while (xml.at < xml.end) {
        if (xml.depth == 0) {
            xml.at += strspn(xml.at, " \n");
            if (xml.at == xml.end)
                break;
            if (*xml.at != '<')
                return false;
            roots++;
        }
        if (*xml.at == '<' ? !xml_tag(&xml) : !xml_text(&xml, false))
            return false;
    }
    return xml.depth == 0 && roots == 1;
}

#endif
