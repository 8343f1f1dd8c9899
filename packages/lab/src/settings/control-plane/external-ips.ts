import { z } from "zod";
import { plainField, defineSetting } from "../setting.ts";

/** Services may have external IPs that do not belong to the cluster (CVE-2020-8554). */
export const externalIpsSetting = defineSetting({
  name: "externalIps",
  help: "let users of a namespace set external IPs of Services, which every node then routes to their pods (SECURITY.md)",
  flag: { flags: "--external-ips" },
  field: plainField("externalIps", z.boolean()),
  store: (desired): { externalIps?: boolean } => (desired === true ? { externalIps: true } : {}),
  contradiction: (spec, desired) => (desired && spec.externalIps !== true ? "no external IPs of Services" : undefined),
  gives: (spec) => ({
    "api-server": spec.externalIps === true ? {} : { "enable-admission-plugins": "DenyServiceExternalIPs" },
  }),
});
