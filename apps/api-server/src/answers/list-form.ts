import { apiVersionOf, type JsonObject } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { Entry } from "@kintsugi/store";
import { cborItem, cborListOpening } from "../cbor/index.ts";
import { jsonContentType } from "../http/api-request.ts";
import { cborContentType } from "../http/negotiate.ts";
import type { ResourceCall } from "../request/resource-call.ts";
import { bytesAs, decodeAs } from "../resources/requested-form.ts";
import { type ObjectWriter, objectWriterFor } from "./object-writer.ts";

/** The parts of a list's body, which can be sent one by one. */
export interface ListForm {
  readonly contentType: string;
  readonly opening: Uint8Array;
  /** The separator between two items. */
  readonly separator: Uint8Array;
  readonly ending: Uint8Array;
  item(entry: Entry): Uint8Array;
}

/**
 * A list in JSON or CBOR. A list in protobuf differs because the length of its items precedes them.
 */
export function listForm(
  { clock }: { readonly clock: Pick<Clock, "nowMs"> },
  { resource, form }: ResourceCall,
  { entries, metadata }: { entries: readonly Entry[]; metadata: JsonObject },
): ListForm {
  const writer = form.as === "object" ? undefined : objectWriterFor(resource, form, () => clock.nowMs());
  const header = writer?.header() ?? { kind: `${resource.type.kind}List`, apiVersion: apiVersionOf(resource.type) };
  const list = form.as === "Table" ? "rows" : "items";
  const members = { ...header, metadata };
  if (form.encoding !== "cbor") return jsonList(resource, { writer, members, list });
  return {
    contentType: cborContentType,
    opening: cborListOpening(members, list, entries.length),
    separator: nothing,
    ending: nothing,
    item: cborWriter(resource, writer),
  };
}

const [nothing, comma, ending] = [Buffer.from(""), Buffer.from(","), Buffer.from("]}\n")] as const;

/** Stored bytes are sent unchanged; only other forms are encoded again. */
function jsonList(
  resource: ResourceCall["resource"],
  { writer, members, list }: { writer: ObjectWriter | undefined; members: JsonObject; list: string },
): ListForm {
  return {
    contentType: jsonContentType,
    opening: Buffer.from(`${JSON.stringify(members).slice(0, -1)},"${list}":[`),
    separator: comma,
    ending,
    item: (entry) =>
      writer === undefined
        ? bytesAs(resource, entry)
        : Buffer.from(JSON.stringify(writer.item(decodeAs(resource, entry)))),
  };
}

function cborWriter(resource: ResourceCall["resource"], writer: ObjectWriter | undefined) {
  return (entry: Entry): Uint8Array => {
    const object = decodeAs(resource, entry);
    return writer === undefined
      ? cborItem(object as unknown as JsonObject, resource.description)
      : cborItem(writer.item(object));
  };
}
