import { strict as assert } from "node:assert";

const scalars = ["string", "bytes", "bool", "int32", "uint32", "int64", "uint64"] as const;
export type Scalar = (typeof scalars)[number];

export interface EnumType {
  readonly kind: "enum";
  readonly numberOf: ReadonlyMap<string, number>;
  readonly wordOf: ReadonlyMap<number, string>;
}

export interface MessageType {
  readonly kind: "message";
  readonly fullName: string;
  readonly fields: ReadonlyMap<number, Field>;
}

export interface Field {
  /** The field's name in a message's plain object, in camel case. */
  readonly name: string;
  readonly number: number;
  /** Maps are from text to text, because CRI does not have other maps. */
  readonly shape: "one" | "list" | "map";
  readonly type: Scalar | EnumType | MessageType;
}

interface Rpc {
  readonly name: string;
  readonly request: MessageType;
  readonly response: MessageType;
  readonly responseStream: boolean;
}

export interface Protos {
  readonly messages: ReadonlyMap<string, MessageType>;
  readonly services: ReadonlyMap<string, readonly Rpc[]>;
}

/**
 * Reads the subset of proto3 that this package's files use: messages, enums, messages and enums
 * inside messages, services; fields that are single, `repeated` or `map<string, string>`. Other
 * syntax and undefined names fail an assertion.
 */
export function parseProtos(files: readonly string[]): Protos {
  const reader = new ProtoReader();
  for (const file of files) reader.read(file);
  reader.resolveNames();
  return reader;
}

class ProtoReader implements Protos {
  readonly messages = new Map<string, MessageType>();
  readonly services = new Map<string, Rpc[]>();
  readonly #enums = new Map<string, EnumType>();
  /**
   * A type may be used before it is defined, so names are looked up when everything has been read.
   */
  readonly #unresolved: (() => void)[] = [];
  #tokens: Iterator<string> = [].values();

  read(file: string): void {
    this.#tokens = (file.match(/[\w.]+|"[^"]*"|[^\s\w]/g) ?? []).values();
    let packageName = "";
    for (let word = this.#next(); word !== undefined; word = this.#next()) {
      if (word === "syntax") this.#expect("=", '"proto3"', ";");
      else if (word === "package") packageName = this.#until(";").join("");
      else if (word === "service") this.#readService(packageName);
      else this.#readType(word, packageName);
    }
  }

  resolveNames(): void {
    for (const resolve of this.#unresolved.splice(0)) resolve();
  }

  #readType(keyword: string, scope: string): void {
    const fullName = `${scope}.${this.#word()}`;
    this.#expect("{");
    if (keyword === "enum") {
      this.#readEnum(fullName);
      return;
    }
    assert.equal(keyword, "message", `${fullName} is a message or an enum`);
    const fields = new Map<number, Field>();
    this.messages.set(fullName, { kind: "message", fullName, fields });
    for (let word = this.#word(); word !== "}"; word = this.#word()) {
      if (word === "message" || word === "enum") this.#readType(word, fullName);
      else this.#readField(word, fullName, fields);
    }
  }

  #readEnum(fullName: string): void {
    const numberOf = new Map<string, number>();
    for (let word = this.#word(); word !== "}"; word = this.#word()) {
      const [equals, number] = this.#until(";");
      assert.equal(equals, "=", `${fullName}.${word} has a number`);
      numberOf.set(word, Number(number));
    }
    const wordOf = new Map([...numberOf].map(([word, number]) => [number, word]));
    assert(wordOf.has(0), `${fullName} has a word for 0, the value of an absent field`);
    this.#enums.set(fullName, { kind: "enum", numberOf, wordOf });
  }

  #readField(first: string, scope: string, fields: Map<number, Field>): void {
    const shape = first === "repeated" ? "list" : first === "map" ? "map" : "one";
    if (shape === "map") this.#expect("<", "string", ",", "string", ">");
    const typeName = shape === "list" ? this.#word() : shape === "map" ? "string" : first;
    const protoName = this.#word();
    this.#expect("=");
    const number = Number(this.#word());
    this.#expect(";");
    this.#unresolved.push(() => {
      assert(number > 0 && !fields.has(number), `${scope}.${protoName} has a field number of its own`);
      fields.set(number, { name: camelCase(protoName), number, shape, type: this.#fieldType(typeName, scope) });
    });
  }

  #readService(packageName: string): void {
    const fullName = `${packageName}.${this.#word()}`;
    const calls: Rpc[] = [];
    this.services.set(fullName, calls);
    this.#expect("{");
    for (let word = this.#word(); word !== "}"; word = this.#word()) {
      assert.equal(word, "rpc", `${fullName} consists of calls`);
      const name = this.#word();
      this.#expect("(");
      const request = this.#until(")").join("");
      this.#expect("returns", "(");
      const [first = "", second] = this.#until(")");
      this.#expect(";");
      const responseStream = first === "stream" && second !== undefined;
      const response = responseStream ? second : first;
      this.#unresolved.push(() => {
        const [requestType, responseType] = [this.#message(request, fullName), this.#message(response, fullName)];
        calls.push({ name, request: requestType, response: responseType, responseStream });
      });
    }
  }

  #fieldType(name: string, scope: string): Field["type"] {
    if (isScalar(name)) return name;
    return findFrom(scope, name, this.#enums) ?? this.#message(name, scope);
  }

  #message(name: string, scope: string): MessageType {
    const message = findFrom(scope, name, this.messages);
    assert(message, `${name}, which ${scope} uses, is defined`);
    return message;
  }

  #next(): string | undefined {
    const { done, value } = this.#tokens.next();
    return done ? undefined : value;
  }

  #word(): string {
    const word = this.#next();
    assert(word !== undefined, "a definition has an end");
    return word;
  }

  #until(end: string): string[] {
    const words: string[] = [];
    for (let word = this.#word(); word !== end; word = this.#word()) words.push(word);
    return words;
  }

  #expect(...words: readonly string[]): void {
    for (const expected of words) {
      const word = this.#word();
      assert(word === expected, `a definition has ${expected} where it has ${word}`);
    }
  }
}

/**
 * Finds a type by proto's rule: the innermost scope first, then each enclosing scope, then the bare
 * name.
 */
function findFrom<T>(scope: string, name: string, types: ReadonlyMap<string, T>): T | undefined {
  for (let around = scope; around !== ""; around = around.slice(0, Math.max(around.lastIndexOf("."), 0))) {
    const found = types.get(`${around}.${name}`);
    if (found) return found;
  }
  return types.get(name);
}

function isScalar(name: string): name is Scalar {
  return (scalars as readonly string[]).includes(name);
}

function camelCase(protoName: string): string {
  return protoName.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
