import { UnreadableSource } from "./unreadable.ts";

/** Objects of the API are some twenty levels deep. */
const depthMax = 64;

/**
 * Reads one value of MessagePack. Maps may have keys of any type, as SimKube's maps do: a key that
 * is not a string becomes its JSON.
 * @throws UnreadableSource if the bytes are cut off or are not MessagePack.
 */
export function readMsgpack(bytes: Uint8Array, name: string): unknown {
  return new MsgpackReader(bytes, name).value(0);
}

class MsgpackReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #name: string;
  #at = 0;

  constructor(bytes: Uint8Array, name: string) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#name = name;
  }

  value(depth: number): unknown {
    if (depth > depthMax)
      throw new UnreadableSource(`${this.#name}: values are nested more than ${depthMax} levels deep`);
    const tag = this.#uint(1);
    if (tag <= 0x7f) return tag;
    if (tag <= 0x8f) return this.#map(tag & 0x0f, depth);
    if (tag <= 0x9f) return this.#list(tag & 0x0f, depth);
    if (tag <= 0xbf) return this.#text(tag & 0x1f);
    if (tag >= 0xe0) return tag - 0x1_00;
    return this.#tagged(tag, depth);
  }

  #tagged(tag: number, depth: number): unknown {
    switch (tag) {
      case 0xc0:
        return null;
      case 0xc2:
      case 0xc3:
        return tag === 0xc3;
      case 0xc4:
      case 0xc5:
      case 0xc6:
        return this.#take(this.#uint(1 << (tag - 0xc4)));
      case 0xca:
        return this.#view.getFloat32(this.#skip(4));
      case 0xcb:
        return this.#view.getFloat64(this.#skip(8));
      case 0xcc:
      case 0xcd:
      case 0xce:
        return this.#uint(1 << (tag - 0xcc));
      case 0xcf:
        return Number(this.#view.getBigUint64(this.#skip(8)));
      case 0xd0:
        return this.#view.getInt8(this.#skip(1));
      case 0xd1:
        return this.#view.getInt16(this.#skip(2));
      case 0xd2:
        return this.#view.getInt32(this.#skip(4));
      case 0xd3:
        return Number(this.#view.getBigInt64(this.#skip(8)));
      case 0xd9:
      case 0xda:
      case 0xdb:
        return this.#text(this.#uint(1 << (tag - 0xd9)));
      case 0xdc:
      case 0xdd:
        return this.#list(this.#uint(tag === 0xdc ? 2 : 4), depth);
      case 0xde:
      case 0xdf:
        return this.#map(this.#uint(tag === 0xde ? 2 : 4), depth);
      default:
        throw new UnreadableSource(`${this.#name} is not a SimKube trace: byte ${this.#at} is not valid MessagePack`);
    }
  }

  #map(count: number, depth: number): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    for (let index = 0; index < count; index++) {
      const key = this.value(depth + 1);
      entries.push([typeof key === "string" ? key : JSON.stringify(key), this.value(depth + 1)]);
    }
    return Object.fromEntries(entries);
  }

  #list(count: number, depth: number): unknown[] {
    const list: unknown[] = [];
    for (let index = 0; index < count; index++) list.push(this.value(depth + 1));
    return list;
  }

  #text(length: number): string {
    return new TextDecoder().decode(this.#take(length));
  }

  #uint(length: number): number {
    const at = this.#skip(length);
    return length === 1 ? this.#view.getUint8(at) : length === 2 ? this.#view.getUint16(at) : this.#view.getUint32(at);
  }

  #take(length: number): Uint8Array {
    const at = this.#skip(length);
    return this.#bytes.subarray(at, at + length);
  }

  #skip(length: number): number {
    const at = this.#at;
    if (at + length > this.#bytes.length)
      throw new UnreadableSource(`${this.#name} is cut off: a value extends beyond its last byte; copy it again`);
    this.#at = at + length;
    return at;
  }
}
