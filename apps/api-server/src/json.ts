export type { JsonObject, JsonValue } from "@kintsugi/api";
