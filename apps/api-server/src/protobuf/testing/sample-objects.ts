import type { JsonObject } from "@kintsugi/api";

const metadata: JsonObject = {
  name: "web",
  namespace: "default",
  labels: { app: "web", empty: "" },
  annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}\n" },
  creationTimestamp: "2026-01-02T03:04:05Z",
  ownerReferences: [
    { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "u", controller: true, blockOwnerDeletion: false },
  ],
  finalizers: ["a/b", "c/d"],
  managedFields: [
    {
      manager: "m",
      operation: "Update",
      apiVersion: "v1",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:data": { ".": {} } },
    },
  ],
};

/** Objects that together have a field of each kind, as JSON. */
export const sampleObjects: Record<string, JsonObject> = {
  "a config map with an empty value, binary data and a pointer to false": {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata,
    data: { a: "", "b.txt": "ü\n" },
    binaryData: { c: "AP8=", d: "" },
    immutable: false,
  },
  "a secret": {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "s" },
    type: "Opaque",
    data: { password: "c2VjcmV0" },
  },
  "a definition, whose schema contains itself": {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "crontabs.stable.example.com" },
    spec: {
      group: "stable.example.com",
      names: { plural: "crontabs", kind: "CronTab", listKind: "CronTabList" },
      scope: "Namespaced",
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                a: { type: "integer", default: 0, minimum: 0, maximum: 1.5, enum: [0, "x", null, { a: [1] }] },
                b: { type: "boolean", default: false, nullable: true },
                c: { type: "string", default: "" },
                d: { type: "array", items: { type: "object", additionalProperties: { type: "string" } } },
                e: { type: "object", additionalProperties: false },
                f: { type: "array", items: [{ type: "string" }, { type: "integer" }] },
                g: { dependencies: { x: ["y"], z: { type: "string" } } },
              },
            },
          },
        },
      ],
    },
  },
  "a pod with everything that has its own form on the wire": {
    apiVersion: "v1",
    kind: "Pod",
    metadata,
    spec: {
      containers: [
        {
          name: "c",
          image: "busybox",
          command: ["sh", "-c", ""],
          ports: [{ containerPort: 80, protocol: "TCP" }],
          env: [
            { name: "X", valueFrom: { secretKeyRef: { name: "s", key: "k", optional: false } } },
            { name: "Y", value: "1" },
          ],
          envFrom: [{ configMapRef: { name: "c" } }],
          resources: { limits: { cpu: "100m", memory: "64Mi" }, requests: { cpu: "1" } },
          livenessProbe: {
            httpGet: { path: "/", port: "http" },
            initialDelaySeconds: 3,
            terminationGracePeriodSeconds: 0,
          },
          readinessProbe: { tcpSocket: { port: 8080 } },
          startupProbe: { exec: { command: ["true"] } },
          securityContext: { runAsUser: 0, allowPrivilegeEscalation: false, runAsNonRoot: true },
          volumeMounts: [{ name: "v", mountPath: "/v", readOnly: true }],
        },
      ],
      ephemeralContainers: [{ name: "debug", image: "busybox", targetContainerName: "c" }],
      volumes: [
        { name: "v", emptyDir: { medium: "Memory", sizeLimit: "1Gi" } },
        { name: "w", configMap: { name: "c", items: [{ key: "k", path: "p", mode: 0 }], defaultMode: 420 } },
        {
          name: "x",
          projected: {
            sources: [
              { serviceAccountToken: { path: "t", expirationSeconds: 3607 } },
              { downwardAPI: { items: [{ path: "p", fieldRef: { fieldPath: "metadata.name" } }] } },
            ],
          },
        },
      ],
      terminationGracePeriodSeconds: 0,
      enableServiceLinks: false,
      tolerations: [{ key: "k", operator: "Exists", effect: "NoExecute", tolerationSeconds: 0 }],
      nodeSelector: { disk: "ssd" },
      priority: -10,
    },
    status: { phase: "Running", startTime: "1999-12-31T23:59:59Z", podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }] },
  },
  "a replica set of nothing": {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name: "r" },
    spec: { replicas: 0, selector: { matchExpressions: [{ key: "a", operator: "In", values: ["x", ""] }] } },
  },
  "a stateful set with claims": {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "s" },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: "s" } },
      template: { metadata: { labels: { app: "s" } }, spec: { containers: [{ name: "c", image: "busybox" }] } },
      volumeClaimTemplates: [{ metadata: { name: "data" }, spec: { accessModes: ["ReadWriteOnce"] } }],
      serviceName: "s",
      podManagementPolicy: "Parallel",
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 1, maxUnavailable: "50%" } },
      revisionHistoryLimit: 4,
      minReadySeconds: 5,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Retain" },
      ordinals: { start: 7 },
    },
    status: {
      observedGeneration: 2,
      replicas: 3,
      readyReplicas: 2,
      currentReplicas: 1,
      updatedReplicas: 2,
      currentRevision: "s-1",
      updateRevision: "s-2",
      collisionCount: 1,
      availableReplicas: 2,
      conditions: [
        { type: "t", status: "True", lastTransitionTime: "2026-01-02T03:04:05Z", reason: "R", message: "m" },
      ],
    },
  },
  "a revision of a template": {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: { name: "web-1" },
    data: { spec: { template: { $patch: "replace", metadata: { creationTimestamp: null }, spec: { a: [1, "b"] } } } },
    revision: 7,
  },
  "a deployment with bounds in percent and in pods": {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "d" },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: "d" } },
      template: { metadata: { labels: { app: "d" } }, spec: { containers: [{ name: "c", image: "busybox" }] } },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: "25%" } },
      minReadySeconds: 5,
      revisionHistoryLimit: 0,
      paused: true,
      progressDeadlineSeconds: 600,
    },
    status: {
      observedGeneration: 2,
      replicas: 4,
      updatedReplicas: 1,
      readyReplicas: 3,
      availableReplicas: 3,
      unavailableReplicas: 1,
      collisionCount: 0,
      terminatingReplicas: 0,
      conditions: [
        {
          type: "Progressing",
          status: "True",
          reason: "ReplicaSetUpdated",
          message: "m",
          lastUpdateTime: "2026-01-02T03:04:05Z",
          lastTransitionTime: "2026-01-02T03:04:05Z",
        },
      ],
    },
  },
  "a daemon set with a surge": {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: "d" },
    spec: {
      selector: { matchLabels: { app: "d" } },
      template: { metadata: { labels: { app: "d" } }, spec: { containers: [{ name: "c", image: "busybox" }] } },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: "25%" } },
      minReadySeconds: 5,
      revisionHistoryLimit: 0,
    },
    status: {
      currentNumberScheduled: 3,
      numberMisscheduled: 0,
      desiredNumberScheduled: 4,
      numberReady: 2,
      observedGeneration: 2,
      updatedNumberScheduled: 1,
      numberAvailable: 2,
      numberUnavailable: 2,
      collisionCount: 0,
      conditions: [
        { type: "T", status: "True", reason: "R", message: "m", lastTransitionTime: "2026-01-02T03:04:05Z" },
      ],
    },
  },
  "a lease with microseconds": {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name: "n" },
    spec: {
      holderIdentity: "n",
      leaseDurationSeconds: 40,
      renewTime: "2026-01-02T03:04:05.000678Z",
      acquireTime: "2023-11-14T22:13:20.123457Z",
    },
  },
  "a budget in percent": {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "b" },
    spec: { minAvailable: "50%", maxUnavailable: 0 },
  },
  "an autoscaler with a metric of each type": {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "a" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      minReplicas: 1,
      maxReplicas: 5,
      metrics: [
        { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
        {
          type: "ContainerResource",
          containerResource: { name: "memory", container: "c", target: { type: "AverageValue", averageValue: "1Mi" } },
        },
        { type: "Pods", pods: { metric: { name: "m" }, target: { type: "AverageValue", averageValue: "10" } } },
        {
          type: "Object",
          object: {
            describedObject: { kind: "Service", name: "s" },
            metric: { name: "m" },
            target: { type: "Value", value: "100m" },
          },
        },
        {
          type: "External",
          external: {
            metric: { name: "m", selector: { matchLabels: { a: "b" } } },
            target: { type: "Value", value: "2" },
          },
        },
      ],
      behavior: {
        scaleUp: {
          stabilizationWindowSeconds: 0,
          selectPolicy: "Max",
          policies: [{ type: "Pods", value: 4, periodSeconds: 15 }],
          tolerance: "50m",
        },
      },
    },
  },
  "endpoints that can be used, and that cannot": {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { name: "s" },
    subsets: [
      {
        addresses: [{ ip: "10.0.0.1", nodeName: "n", targetRef: { kind: "Pod", name: "p", uid: "u" } }],
        notReadyAddresses: [{ ip: "10.0.0.2", hostname: "h" }],
        ports: [{ name: "http", port: 80, protocol: "TCP" }],
      },
    ],
  },
  "a service with both forms of ports": {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "s" },
    spec: {
      ports: [
        { port: 80, targetPort: "http" },
        { port: 81, targetPort: 8081 },
      ],
      selector: { app: "web" },
    },
  },
  "a volume whose source stands in a message of its own": {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: "v" },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce", "ReadOnlyMany"],
      csi: { driver: "d", volumeHandle: "h", volumeAttributes: { a: "" }, nodeStageSecretRef: { name: "s" } },
      claimRef: { kind: "PersistentVolumeClaim", namespace: "default", name: "c", uid: "u" },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "k", operator: "Exists" }] }] } },
    },
    status: { phase: "Bound", lastPhaseTransitionTime: "2026-01-02T03:04:05Z" },
  },
  "a claim that expands": {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "c" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "2Gi" } }, storageClassName: "" },
    status: {
      phase: "Bound",
      capacity: { storage: "1Gi" },
      conditions: [{ type: "Resizing", status: "True" }],
      allocatedResources: { storage: "2Gi" },
      allocatedResourceStatuses: { storage: "NodeResizePending" },
      modifyVolumeStatus: { status: "Pending" },
    },
  },
  "a review with lists in a map": {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SubjectAccessReview",
    metadata: {},
    spec: {
      user: "jane",
      extra: { scopes: ["a", "b"], none: [] },
      resourceAttributes: { verb: "get", resource: "pods" },
    },
  },
};
