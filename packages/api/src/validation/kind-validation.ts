import type { ApiObject } from "../meta/api-object.ts";
import type { NameCheck } from "../values/names.ts";
import type { Faults } from "./faults.ts";

/** The rules that objects of one kind keep beyond those of metadata. Each part is optional. */
export interface KindValidation<T extends ApiObject = ApiObject> {
  /** The form of names; a DNS subdomain when absent. */
  readonly checkName?: NameCheck;
  /** Set where finalizers need no domain in their names. */
  readonly plainFinalizers?: true;
  /** Rules for every object of the kind, new or changed. */
  validate?(object: T, faults: Faults): void;
  /** Takes the place of metadata's rules and of `validate` for a new object. */
  create?(object: T, faults: Faults): void;
  /** Rules for a change: which fields stay as they were. */
  update?(after: T, before: T, faults: Faults): void;
  /** Rules for a write of the status, which may compare it with the object before. */
  status?(object: T, faults: Faults, before: T): void;
  /**
   * A subresource ("" is the object itself) may have a check that takes the place of all others for
   * a write through it.
   */
  readonly subresources?: Readonly<Record<string, ValidateChange<T>>>;
}

/** Declared as a method, so that the rules of one kind pass for rules of any kind. */
type ValidateChange<T extends ApiObject> = { check(after: T, before: T, faults: Faults): void }["check"];
