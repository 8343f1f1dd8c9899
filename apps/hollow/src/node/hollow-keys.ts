/** The prefix of all these annotations. */
export const keyPrefix = "kintsugi.dev/";

/**
 * Annotation of a hollow node with the state of its machine: `off` is a machine without power,
 * `paused` a machine that is suspended. With any other value, or without the annotation, it runs.
 */
export const powerAnnotation = "kintsugi.dev/power";

/**
 * Annotation of a Pod with the time that the creation of each of its containers takes, such as
 * "2s"; by default they are created immediately.
 */
export const startDelayAnnotation = "kintsugi.dev/start-delay";

/**
 * Annotation of a Pod with the probes that fail, such as "readiness,liveness"; it may change while
 * the pod runs.
 */
export const failingProbesAnnotation = "kintsugi.dev/failing-probes";

/** Annotation of a Pod with the text that each of its containers prints when it starts. */
export const logsAnnotation = "kintsugi.dev/logs";

/**
 * Annotation of a Pod with the script that answers `kubectl exec`, for commands whose program a
 * hollow container does not have.
 */
export const execScriptAnnotation = "kintsugi.dev/exec-script";

/** Annotation of a Pod with the script that answers `kubectl attach`, until the script ends. */
export const attachScriptAnnotation = "kintsugi.dev/attach-script";

/**
 * Prefix of the annotations of a Pod with the answer of one of its ports: `kintsugi.dev/port-8080`.
 */
export const portAnnotationPrefix = "kintsugi.dev/port-";

/**
 * Annotation of a Pod with the name of a ConfigMap of its namespace that contains more of these
 * annotations, by their names without `kintsugi.dev/`.
 */
export const answersAnnotation = "kintsugi.dev/answers";
