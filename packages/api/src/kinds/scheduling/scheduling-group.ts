export * from "./priority-class/priority-class-kind.ts";
export * from "./priority-class/priority-class-type.ts";
export { PriorityClass, systemCriticalPriority, systemPriorityClasses } from "./priority-class/priority-class.ts";
