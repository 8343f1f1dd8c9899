import type { ApiObject, JsonObject, Kind, ResourceType, TypeDescription } from "@kintsugi/api";
import type { z } from "zod";
import type { TableConverter } from "../table/table-converter.ts";
import type { SubresourceDescription } from "./subresource.ts";

/** An object in the pipeline. It is parsed, so it has its kind's shape, and it is not shared. */
export type KubeObject = ApiObject & { spec?: unknown; status?: unknown };

/**
 * One kind as this server serves it: the kind's value, and the values that are derived from it
 * once.
 */
export interface Resource {
  readonly kind: Kind<KubeObject>;
  readonly type: ResourceType<KubeObject>;
  readonly schema: z.ZodType<KubeObject>;
  readonly description: TypeDescription;
  /** Parses a body instead of the schema, for a kind whose schema is data. */
  readonly decode: ((body: JsonObject) => KubeObject) | undefined;
  /** The store's name of its objects: "core/pods". */
  readonly storeName: string;
  /** The subresources by name: "status", "log". */
  readonly subresources: ReadonlyMap<string, SubresourceDescription>;
  readonly table: TableConverter;
  /**
   * Set when this is another representation of a kind stored elsewhere: events.k8s.io/v1 of core/v1
   * events.
   */
  readonly view?: ResourceView;
}

interface ResourceView {
  readonly of: Resource;
  toStored(object: KubeObject): KubeObject;
  fromStored(stored: KubeObject): KubeObject;
  storedField?(field: string): string | undefined;
}
