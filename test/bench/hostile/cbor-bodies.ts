import { bodyBytes, configMaps, type HostileRequest, ownAccess } from "./hostile-request.ts";

const hex = (text: string) => Buffer.from(text, "hex");

/** Copies of `part` after `head`, as many as fit in a body. */
function filled(head: string, part: string): Buffer {
  return Buffer.concat([hex(head), Buffer.alloc(bodyBytes - head.length / 2, hex(part))]);
}

function request(what: string, path: string, body: () => Buffer): HostileRequest {
  const as = path === ownAccess ? {} : { as: "admin" as const };
  return { name: `cbor: ${what}`, method: "POST", path, contentType: "application/cbor", body, ...as };
}

/** `{"a": ` of a value. */
const member = "a14161";

/** 1,024 lists of 1,024 zeros, the maximum for a list. */
const lists = () => Buffer.concat([hex(`${member}990400`), ...Array(1024).fill(filledList)]);
const filledList = Buffer.concat([hex("990400"), Buffer.alloc(1024)]);

/** 1,024 keys of 2,900 bytes, of which only the last bytes differ. */
const longKeys = () =>
  Buffer.concat([
    hex("b90400"),
    ...Array.from({ length: 1024 }, (_, i) =>
      Buffer.concat([hex("590b54"), Buffer.alloc(2896, "k"), Buffer.from(String(1000 + i)), hex("00")]),
    ),
  ]);

export const cborBodies: readonly HostileRequest[] = [
  request("a list that claims 2^63 items", ownAccess, () => hex("9b8000000000000000")),
  request("a map that claims 2^52 pairs", ownAccess, () => hex("bb0010000000000000")),
  request("a text that claims 2^52 bytes", ownAccess, () => hex(`${member}7b0010000000000000`)),
  request("three million lists within each other", ownAccess, () => filled(member, "81")),
  request("three million tags of tags", ownAccess, () => filled(member, "c6")),
  request("three million empty parts of a text", ownAccess, () => filled(`${member}7f`, "60")),
  request("three million empty parts of a byte string", ownAccess, () => filled(`${member}5f`, "40")),
  request("a million values in lists", ownAccess, lists),
  request("keys that are long and alike", ownAccess, longKeys),
  request("text of 3 MB that is no UTF-8", ownAccess, () =>
    Buffer.concat([hex(`${member}7a002ff000`), Buffer.alloc(0x2ff000 - 1, "a"), hex("ff")]),
  ),
  request("bytes of 3 MB as hexadecimal text", configMaps, () =>
    Buffer.concat([hex(`${member}d75a002ff000`), Buffer.alloc(0x2ff000)]),
  ),
];
