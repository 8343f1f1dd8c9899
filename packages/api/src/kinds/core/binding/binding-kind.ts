import { defineKind } from "../../define-kind.ts";
import { bindings } from "./binding-type.ts";
import { Binding } from "./binding.ts";

export const bindingKind = defineKind<Binding>({ type: bindings, schema: Binding, verbs: ["create"], answered: true });
