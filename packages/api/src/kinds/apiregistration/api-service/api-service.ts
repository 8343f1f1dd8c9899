import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required, type TypeMeta } from "../../../schema/fields.ts";
import { bool, bytes, int32, keyedList, text, time } from "../../../schema/types.ts";
import { conditionStatus } from "../../../schema/words.ts";

const group = "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1";

/** Upstream's OpenAPI has these bytes as an atomic list. */
const authorities = bytes.meta({ format: "byte", listType: "atomic" } satisfies TypeMeta);

const ServiceReference = object(`${group}.ServiceReference`, "ServiceReference refers to a Service.", () => ({
  namespace: field(1, text, "Namespace of the Service."),
  name: field(2, text, "Name of the Service."),
  port: field(3, int32, "Port of the Service, from 1 to 65535. Defaults to 443."),
}));

const APIServiceSpec = object(
  `${group}.APIServiceSpec`,
  "Version of an API group and the server that serves the version.",
  () => ({
    service: field(
      1,
      ServiceReference,
      "Service of the extension API server that serves the version. If unset, this API server serves the version itself.",
    ),
    group: field(2, text, "Name of the API group."),
    version: field(3, text, "Name of the version, such as v1."),
    insecureSkipTLSVerify: field(
      4,
      bool,
      "Disables verification of the extension API server's certificate if true. Strongly discouraged. Defaults to false.",
    ),
    caBundle: field(
      5,
      authorities,
      "Certificate authorities for verifying the extension API server's certificate, in PEM. Defaults to the system's certificate authorities on the API server.",
    ),
    groupPriorityMinimum: required(
      7,
      int32,
      "Minimum priority of the group, from 1 to 20000. Clients prefer groups with a higher priority.",
    ),
    versionPriority: required(
      8,
      int32,
      "Priority of the version in its group, from 1 to 1000. Clients prefer versions with a higher priority.",
    ),
  }),
);
export type APIServiceSpec = z.infer<typeof APIServiceSpec>;

const APIServiceCondition = object(
  `${group}.APIServiceCondition`,
  "APIServiceCondition describes one aspect of an APIService's state.",
  () => ({
    type: required(1, text, "Type of the condition. The only type is Available."),
    status: required(2, conditionStatus, "Status of the condition: True, False or Unknown."),
    lastTransitionTime: field(3, time, "Time at which the condition's status last changed."),
    reason: field(4, text, "Reason for the condition's status, one CamelCase word."),
    message: field(5, text, "Human-readable explanation of the reason."),
  }),
);
export type APIServiceCondition = z.infer<typeof APIServiceCondition>;

const APIServiceStatus = object(`${group}.APIServiceStatus`, "Observed state of an APIService.", () => ({
  conditions: field(1, keyedList(APIServiceCondition, ["type"]), "Observed conditions of the APIService."),
}));

export const APIService = kind(
  `${group}.APIService`,
  'An APIService registers a version of an API group. Its name is "version.group".',
  () => ({
    metadata: always(1, ObjectMeta, "Name, labels and owners of the object."),
    spec: field(2, APIServiceSpec, "Registered version and its server."),
    status: field(3, APIServiceStatus, "Observed availability of the API."),
  }),
);
export type APIService = z.infer<typeof APIService>;
