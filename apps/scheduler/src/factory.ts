export { createScheduler, type Scheduler, type SchedulerDeps, type SchedulerOptions } from "./scheduler.ts";
