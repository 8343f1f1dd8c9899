import type { Incident } from "../incident.ts";
import { clusterIncidents } from "./of-the-cluster.ts";
import { namespaceIncidents } from "./of-the-namespace.ts";
import { revisionIncidents } from "./of-a-revision.ts";

/** Every incident, in the order of `kintsugi gym list`. */
export const incidents: readonly Incident[] = [...revisionIncidents, ...namespaceIncidents, ...clusterIncidents];
