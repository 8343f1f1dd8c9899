import { messageOf } from "@kintsugi/api";
import type { ApiObject, ObjectKey, ResourceType } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";

/** Receives a sentence about a write, once the write has ended. */
export type NoteWrite = (what: string) => void;

/** A client that records each write, and how the write ended. */
export function recordedClient(client: Client, note: NoteWrite): Client {
  const noted = async <T>(what: string, write: Promise<T>): Promise<T> => {
    try {
      const result = await write;
      note(what);
      return result;
    } catch (error) {
      note(`${what} → ${messageOf(error)}`);
      throw error;
    }
  };
  return {
    get: (type, key, options) => client.get(type, key, options),
    find: (type, key, options) => client.find(type, key, options),
    list: (type, options) => client.list(type, options),
    watch: (type, options) => client.watch(type, options),
    onReturn: (handler) => client.onReturn(handler),
    call: (request) => client.call(request),
    close: () => client.close(),
    create: (type, object, options) =>
      noted(`create ${named(type, keyIn(object, options))}`, client.create(type, object, options)),
    update: (type, object, options) =>
      noted(`update ${named(type, keyIn(object))}${partOf(options)}`, client.update(type, object, options)),
    patch: (type, key, patch, options) =>
      noted(`patch ${named(type, key)}${partOf(options)}`, client.patch(type, key, patch, options)),
    delete: (type, key, options) => noted(`delete ${named(type, key)}`, client.delete(type, key, options)),
  };
}

function keyIn({ metadata }: ApiObject, options?: { namespace?: string; name?: string }): ObjectKey {
  const generated = metadata.generateName === undefined ? "" : `${metadata.generateName}…`;
  return {
    namespace: metadata.namespace ?? options?.namespace ?? "",
    name: metadata.name ?? options?.name ?? generated,
  };
}

function named({ resource }: ResourceType, { namespace, name }: ObjectKey): string {
  return [resource, ...(namespace === "" ? [] : [namespace]), name].join("/");
}

function partOf(options?: { subresource?: string }): string {
  return options?.subresource === undefined ? "" : ` (${options.subresource})`;
}
