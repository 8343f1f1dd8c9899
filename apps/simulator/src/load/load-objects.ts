import { RecordedConfigMaps } from "@kintsugi/simulation";

/** The objects that the clients of the load write. */
export const loadObjects = new RecordedConfigMaps("load");
