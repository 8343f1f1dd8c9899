import type { ApiObject } from "../meta/api-object.ts";
import type { NameCheck } from "../values/names.ts";
import type { Faults } from "./faults.ts";

/**
 * The rules for objects of one kind in addition to the rules for metadata. Each part is optional.
 */
export interface KindValidation<T extends ApiObject = ApiObject> {
  /** The form of names; a DNS subdomain when absent. */
  readonly checkName?: NameCheck;
  /** Set if finalizers do not need a domain in their names. */
  readonly plainFinalizers?: true;
  /** Rules for every object of the kind, new or changed. */
  validate?(object: T, faults: Faults): void;
  /** Replaces metadata's rules and `validate` for a new object. */
  create?(object: T, faults: Faults): void;
  /** Rules for a change, such as immutable fields. */
  update?(after: T, before: T, faults: Faults): void;
  /** Rules for a write of the status, which may compare it with the previous object. */
  status?(object: T, faults: Faults, before: T): void;
  /**
   * A subresource ("" is the object itself) may have a check that replaces all other checks for a
   * write through it.
   */
  readonly subresources?: Readonly<Record<string, ValidateChange<T>>>;
}

/** Declared as a method, so that the rules of one kind are assignable to rules of any kind. */
type ValidateChange<T extends ApiObject> = { check(after: T, before: T, faults: Faults): void }["check"];
