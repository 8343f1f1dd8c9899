import { assertValueCount, badRequest, jsonDepthMax, jsonValuesMax } from "@kintsugi/api";
import protobuf from "protobufjs/minimal.js";

const wireType = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** The limits that all messages of one body share. */
interface Budget {
  values: number;
  readonly max: number;
}

/**
 * Reads the fields of one protobuf message, with limits on the work that a hostile body can cause.
 */
export class WireReader {
  readonly #reader: protobuf.Reader;
  readonly #budget: Budget;
  readonly #depth: number;

  constructor(
    bytes: Uint8Array,
    { parent, valuesMax }: { parent?: { budget: Budget; depth: number }; valuesMax?: number | undefined } = {},
  ) {
    this.#reader = protobuf.Reader.create(bytes);
    this.#budget = parent?.budget ?? { values: 0, max: valuesMax ?? jsonValuesMax };
    this.#depth = parent?.depth ?? 0;
    if (this.#depth > jsonDepthMax) {
      throw badRequest(`protobuf message nested deeper than ${jsonDepthMax} levels`);
    }
  }

  /** Calls `read` for every field, and skips the fields that it does not read. */
  eachField(read: (fieldNumber: number, type: number) => boolean): void {
    while (this.#reader.pos < this.#reader.len) {
      const tag = this.#reader.uint32();
      const [fieldNumber, type] = [tag >>> 3, tag & 7];
      if (fieldNumber === 0) {
        throw badRequest("protobuf field number 0");
      }
      this.spend();
      if (!read(fieldNumber, type)) {
        this.#skip(type);
      }
    }
  }

  bytes(type: number): Uint8Array {
    this.#expect(type, wireType.bytes);
    return this.#reader.bytes();
  }

  text(type: number): string {
    this.#expect(type, wireType.bytes);
    return this.#reader.string();
  }

  /** A message inside this message. */
  message(type: number): WireReader {
    return new WireReader(this.bytes(type), { parent: { budget: this.#budget, depth: this.#depth + 1 } });
  }

  /** A signed integer. Beyond 2^53 it loses precision, as it would in JSON. */
  integer(type: number): number {
    this.#expect(type, wireType.varint);
    // A plain number where the package "long" cannot be loaded, as in a bundle.
    const value: unknown = this.#reader.int64();
    return typeof value === "number" ? value : (value as { toNumber(): number }).toNumber();
  }

  double(type: number): number {
    this.#expect(type, wireType.fixed64);
    return this.#reader.double();
  }

  boolean(type: number): boolean {
    this.#expect(type, wireType.varint);
    return this.#reader.bool();
  }

  /** Integers of a list, one by one or packed. */
  integers(type: number): number[] {
    if (type !== wireType.bytes) {
      return [this.integer(type)];
    }
    const end = this.#reader.uint32() + this.#reader.pos;
    if (end > this.#reader.len) {
      throw badRequest("protobuf list is cut off");
    }
    const values: number[] = [];
    while (this.#reader.pos < end) {
      this.spend();
      values.push(this.integer(wireType.varint));
    }
    return values;
  }

  #skip(type: number): void {
    switch (type) {
      case wireType.varint:
        this.#reader.skip();
        return;
      case wireType.fixed64:
        this.#reader.skip(8);
        return;
      case wireType.bytes:
        this.#reader.skip(this.#reader.uint32());
        return;
      case wireType.fixed32:
        this.#reader.skip(4);
        return;
      default:
        // Groups are obsolete, and can be nested without a length that limits them.
        throw badRequest(`protobuf wire type ${type} is not supported`);
    }
  }

  #expect(type: number, expected: number): void {
    if (type !== expected) {
      throw badRequest(`protobuf wire type ${type} where ${expected} is expected`);
    }
  }

  /** Counts values of the body, which share one budget however they are nested. */
  spend(values = 1): void {
    this.#budget.values += values;
    assertValueCount(this.#budget.values, this.#budget.max);
  }
}
