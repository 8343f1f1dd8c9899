import type { Fault } from "./fault.ts";

/** What happens to the disk under the api-server's store. */
export const diskFaults: readonly Fault[] = [];
