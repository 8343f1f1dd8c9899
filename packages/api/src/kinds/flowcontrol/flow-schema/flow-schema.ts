import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, bool, int32, keyedList, setList, text, time } from "../../../schema/types.ts";

const prefix = "io.k8s.api.flowcontrol.v1";

const UserSubject = object(`${prefix}.UserSubject`, "The subject is a user.", () => ({
  name: required(1, text, "The user has this name; * stands for all users."),
}));

const GroupSubject = object(`${prefix}.GroupSubject`, "The subject is a group of users.", () => ({
  name: required(1, text, "The group has this name; * stands for all groups."),
}));

const ServiceAccountSubject = object(`${prefix}.ServiceAccountSubject`, "The subject is a service account.", () => ({
  namespace: required(1, text, "The service account is in this namespace."),
  name: required(2, text, "The service account has this name; * stands for all of the namespace."),
}));

export const FlowSubject = object(`${prefix}.Subject`, "A subject matches the user of a request.", () => ({
  kind: required(1, text, "The kind is User, Group or ServiceAccount."),
  user: field(2, UserSubject, "The user that a subject of kind User matches."),
  group: field(3, GroupSubject, "The group that a subject of kind Group matches."),
  serviceAccount: field(4, ServiceAccountSubject, "The account that a subject of kind ServiceAccount matches."),
}));
export type FlowSubject = z.infer<typeof FlowSubject>;

export const FlowResourceRule = object(
  `${prefix}.ResourcePolicyRule`,
  "The rule matches requests for resources: verb, group, resource and namespace have to match.",
  () => ({
    verbs: required(1, setList(text), "The rule matches these verbs; * stands for all."),
    apiGroups: required(2, setList(text), "The rule matches these API groups; * stands for all."),
    resources: required(3, setList(text), "The rule matches these resources and subresources; * stands for all."),
    clusterScope: field(4, bool, "The rule matches requests that name no namespace when this is true."),
    namespaces: field(5, setList(text), "The rule matches requests in these namespaces; * stands for all."),
  }),
);
export type FlowResourceRule = z.infer<typeof FlowResourceRule>;

export const FlowNonResourceRule = object(
  `${prefix}.NonResourcePolicyRule`,
  "The rule matches requests for paths that are no resources.",
  () => ({
    verbs: required(1, setList(text), "The rule matches these verbs; * stands for all."),
    nonResourceURLs: required(6, setList(text), "The rule matches these paths; /healthz, /healthz/* and * are valid."),
  }),
);
export type FlowNonResourceRule = z.infer<typeof FlowNonResourceRule>;

export const FlowRules = object(
  `${prefix}.PolicyRulesWithSubjects`,
  "A request matches if its user matches a subject, and the request itself a rule.",
  () => ({
    subjects: required(
      1,
      atomicList(FlowSubject),
      "The user has to match one of the subjects, of which there is at least one.",
    ),
    resourceRules: field(2, atomicList(FlowResourceRule), "The rules about resources."),
    nonResourceRules: field(3, atomicList(FlowNonResourceRule), "The rules about paths that are no resources."),
  }),
);
export type FlowRules = z.infer<typeof FlowRules>;

const PriorityLevelReference = object(
  `${prefix}.PriorityLevelConfigurationReference`,
  "The reference names a PriorityLevelConfiguration.",
  () => ({ name: required(1, text, "The priority level has this name.") }),
);

const FlowDistinguisherMethod = object(
  `${prefix}.FlowDistinguisherMethod`,
  "The method tells the flows of a schema apart.",
  () => ({ type: required(1, text, "Flows differ ByUser or ByNamespace.") }),
);

const FlowSchemaSpec = object(`${prefix}.FlowSchemaSpec`, "The requests that form flows, and their level.", () => ({
  priorityLevelConfiguration: required(1, PriorityLevelReference, "Requests of the schema are of this level."),
  matchingPrecedence: field(
    2,
    int32,
    "The schema with the lowest number among those that match is taken; from 1 to 10000, the default is 1000.",
  ),
  distinguisherMethod: field(3, FlowDistinguisherMethod, "All requests are one flow when this is unset."),
  rules: field(4, atomicList(FlowRules), "A request matches the schema if it matches one of these rules."),
}));

/** The conditions of both kinds have the same form under two names. */
export function flowConditions(name: string) {
  const Condition = object(`${prefix}.${name}`, "A condition describes one aspect of an object's state.", () => ({
    type: field(1, text, "The type of the condition."),
    status: field(2, text, "The status of the condition is True, False or Unknown."),
    lastTransitionTime: field(3, time, "The status of the condition last changed at this time."),
    reason: field(4, text, "One CamelCase word gives the reason for the last change of the condition."),
    message: field(5, text, "A text for people gives the details of the last change of the condition."),
  }));
  return keyedList(Condition, ["type"]);
}

export const FlowSchema = kind(
  `${prefix}.FlowSchema`,
  "A FlowSchema sorts requests into flows, each of which gets its fair share of a priority level.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    spec: field(2, FlowSchemaSpec, "The requests of the schema, and their priority level."),
    status: field(
      3,
      object(`${prefix}.FlowSchemaStatus`, "The state of a FlowSchema.", () => ({
        conditions: field(1, flowConditions("FlowSchemaCondition"), "Dangling is True when there is no such level."),
      })),
      "The observed state of the schema.",
    ),
  }),
);
export type FlowSchema = z.infer<typeof FlowSchema>;
