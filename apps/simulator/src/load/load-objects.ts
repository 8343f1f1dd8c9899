import { RecordedConfigMaps } from "@kintsugi/simulation";

/** What the clients of the load write. */
export const loadObjects = new RecordedConfigMaps("load");
