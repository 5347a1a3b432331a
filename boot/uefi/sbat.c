/*
 * What shim reads before it starts a signed image: which component this is, and of which generation as far as
 * revocations go (shim's SBAT.md, "Consuming SBAT Sections"). A line each: component, its generation, vendor, its
 * package, version, address. The generation counts up only when everything signed before must no longer start.
 */
extern const char image_sbat[];
__attribute__((section(".sbat"), used))
const char image_sbat[] = "sbat,1,SBAT Version,sbat,1,https://github.com/rhboot/shim/blob/main/SBAT.md\n"
                          "fathom,1,fathom contributors,fathom,1,see README.TXT on the stick\n";
