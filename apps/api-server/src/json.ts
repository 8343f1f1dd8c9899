/** A value that JSON can express. Objects are plain: they were parsed from bytes. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export type JsonObject = { [key: string]: JsonValue };
