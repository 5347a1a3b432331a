/*
 * What shim reads before it starts a signed image: which components it has, and the generation of each, by which they
 * can be revoked (shim's SBAT.md, "Consuming SBAT Sections"). Each line holds component, generation, vendor, the
 * vendor's package, version and address. The generation is raised only when all images signed before must no longer
 * start.
 */
extern const char image_sbat[];
__attribute__((section(".sbat"), used))
const char image_sbat[] = "sbat,1,SBAT Version,sbat,1,https://github.com/rhboot/shim/blob/main/SBAT.md\n"
                          "fathom,1,fathom contributors,fathom,1,see README.TXT on the stick\n";
