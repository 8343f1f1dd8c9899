import { z } from "zod";
import { plainField, defineSetting } from "../setting.ts";

export const ingressSetting = defineSetting({
  name: "ingress",
  help: "serve Ingresses of the class kintsugi, the default, with HAProxy on the bridge's address",
  flag: { flags: "--ingress" },
  field: plainField("ingress", z.boolean()),
  /** True if Ingresses of the class `kintsugi` are served on the bridge's address. */
  store: (desired): { ingress?: boolean } => (desired === true ? { ingress: true } : {}),
  contradiction: (spec, desired) => (desired && spec.ingress !== true ? "no Ingress controller" : undefined),
});
