# A page as two C strings: its lines up to the line @data@, and those behind it.
1i\
static const char page_head[] =
/^@data@$/c\
    ;\
static const char page_tail[] =
s/[\\"]/\\&/g
s/??/?\\?/g
s/.*/    "&\\n"/
$a\
    ;
