import { ApiError, type EndpointSlice, endpointSlices, isApiError, keyOf, messageOf } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { nameSuffix, type Random } from "@kintsugi/clock";
import { isNamespaceTerminating } from "../writes/write-outcome.ts";
import type { WrittenObjects } from "../writes/written-objects.ts";
import type { SliceChanges } from "./fill-slices.ts";

export interface SliceWriterDeps {
  client: Client;
  random: Random;
  written: WrittenObjects;
}

/** A generated name is at most 253 characters long, including 5 random characters. */
const namePrefixLengthMax = 248;

/** Writes the slices of one owner, and records the writes. */
export class SliceWriter {
  readonly #deps: SliceWriterDeps;

  constructor(deps: SliceWriterDeps) {
    this.#deps = deps;
  }

  /**
   * Creations precede deletions, so that an endpoint that moves is in two slices for a moment
   * instead of in no slice. Messages name the owner, as "Service default/web".
   */
  async write(key: string, changes: SliceChanges, owner: string): Promise<void> {
    const { client, random, written } = this.#deps;
    for (const slice of changes.create) {
      const name = (slice.metadata.generateName ?? "").slice(0, namePrefixLengthMax) + nameSuffix(random);
      try {
        written.written(key, await client.create(endpointSlices, { ...slice, metadata: { ...slice.metadata, name } }));
      } catch (error) {
        // The namespace is being deleted: nothing can be created there, and the remaining slices
        // are deleted with it.
        if (isNamespaceTerminating(error)) return;
        throw failed(error, `failed to create EndpointSlice for ${owner}`);
      }
    }
    for (const slice of changes.update) {
      try {
        written.written(key, await client.update(endpointSlices, slice));
      } catch (error) {
        throw failed(error, `failed to update ${slice.metadata.name} EndpointSlice for ${owner}`);
      }
    }
    for (const slice of changes.remove) await this.#remove(key, slice, owner);
  }

  async #remove(key: string, slice: EndpointSlice, owner: string): Promise<void> {
    const { uid = "" } = slice.metadata;
    try {
      await this.#deps.client.delete(endpointSlices, keyOf(slice), { preconditions: { uid } });
    } catch (error) {
      // The slice no longer exists, or another slice now has its name.
      if (isApiError(error, "NotFound", "Conflict")) return;
      throw failed(error, `failed to delete ${slice.metadata.name} EndpointSlice for ${owner}`);
    }
    this.#deps.written.deleted(key, slice);
  }
}

function failed(error: unknown, what: string): Error {
  const because = messageOf(error);
  const message = `${what}: ${because}`;
  return isApiError(error)
    ? new ApiError(error.reason, message, { cause: error })
    : new Error(message, { cause: error });
}
