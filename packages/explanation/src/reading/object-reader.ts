import type { ApiObject, ResourceType } from "@kintsugi/api";

/** The part of a client that reading needs. */
export interface ExplanationReader {
  find<T extends ApiObject>(type: ResourceType<T>, key: { namespace: string; name: string }): Promise<T | undefined>;
  list<T extends ApiObject>(type: ResourceType<T>, options?: ListingOptions): Promise<{ readonly items: readonly T[] }>;
}

export interface ListingOptions {
  readonly namespace?: string;
  readonly fieldSelector?: string;
}

/** An object that cannot be explained, in a sentence for the user. */
export class NotExplainable extends Error {
  override readonly name = "NotExplainable";
}
