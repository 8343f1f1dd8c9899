/**
 * An event of Chrome's trace format, which Perfetto opens. Times are in microseconds.
 *
 * - `X` is a span with a duration; `i` an instant; `M` the name of a track.
 * - `s` and `f` are the ends of an arrow; each binds to the span that encloses it on its track.
 */
export type TraceEvent =
  | { ph: "X"; pid: number; tid: number; ts: number; dur: number; name: string; cat: string; args: TraceArgs }
  | { ph: "i"; pid: number; tid: number; ts: number; s: "t"; name: string; cat: string; args: TraceArgs }
  | { ph: "M"; pid: number; tid: number; name: TrackName; args: { name: string } | { sort_index: number } }
  | { ph: "s"; pid: number; tid: number; ts: number; id: number; name: string; cat: string }
  | { ph: "f"; pid: number; tid: number; ts: number; id: number; name: string; cat: string; bp: "e" };

type TrackName = "process_name" | "thread_name" | "process_sort_index" | "thread_sort_index";
type TraceArgs = Readonly<Record<string, string | number>>;

/** A file of the format. */
export interface PerfettoFile {
  readonly traceEvents: readonly TraceEvent[];
  readonly displayTimeUnit: "ms";
  readonly otherData: Readonly<Record<string, string>>;
}
