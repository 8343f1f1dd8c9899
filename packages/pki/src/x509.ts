import type * as Library from "./x509-library.ts";

/**
 * The X.509 library, loaded with the first request for a certificate, because its decorators take
 * 40 ms and 3 MB, and most processes and most commands do not make a request. It must not be loaded
 * within virtual time, which does not wait for a module.
 */
export function loadX509(): Promise<typeof Library> {
  return import("./x509-library.ts");
}
