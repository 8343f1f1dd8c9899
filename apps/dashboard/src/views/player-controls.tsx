import type { DashboardPage } from "../state/page.ts";
import { type Player, speeds } from "../state/player.ts";
import { clockText, lengthText } from "../model/words.ts";

interface PlayerProps {
  readonly page: DashboardPage;
  readonly player: Player;
}

/** The visible captions: only past captions if the future is to be predicted. */
function captionsSeen({ page, player }: PlayerProps) {
  const { captions } = player.recording;
  return page.hidesFuture.value ? captions.filter(({ atMs }) => atMs <= player.atMs.value) : captions;
}

/** The playhead, the speed and the captions of a recording. */
export function PlayerControls({ page, player }: PlayerProps) {
  const { recording, isPlaying, speed, atMs } = player;
  const { fromMs, toMs, captions } = recording;
  const shown = captions.findLast((caption) => caption.atMs <= atMs.value);
  const passed = lengthText(atMs.value - fromMs);
  return (
    <section class="player" aria-label="Player">
      <div class="controls">
        <button type="button" class="play" onClick={() => player.toggle()}>
          {isPlaying.value ? "Pause" : "Play"}
        </button>
        <div class="track">
          <input
            type="range"
            aria-label="Time"
            aria-valuetext={`${passed} of ${lengthText(toMs - fromMs)}, ${clockText(atMs.value)}`}
            min={fromMs}
            max={toMs}
            step={100}
            value={atMs.value}
            onInput={(event) => player.seek(Number(event.currentTarget.value))}
          />
          <CaptionMarks page={page} player={player} />
        </div>
        <output class="passed">
          {passed} of {lengthText(toMs - fromMs)}
        </output>
        <label>
          Speed
          <select value={String(speed.value)} onChange={(event) => (speed.value = Number(event.currentTarget.value))}>
            {speeds.map((each) => (
              <option key={each} value={String(each)}>
                ×{each}
              </option>
            ))}
          </select>
        </label>
      </div>
      <p class="caption" aria-live="polite">
        {shown === undefined ? recording.description || "Press Play." : shown.text}
      </p>
    </section>
  );
}

/** Limit on marks, because more would touch each other. */
const marksMax = 80;

/** A mark on the track for each caption, to jump to. */
function CaptionMarks({ page, player }: PlayerProps) {
  const { fromMs, toMs } = player.recording;
  const captions = captionsSeen({ page, player });
  const lengthMs = Math.max(1, toMs - fromMs);
  return (
    <svg class="marks" viewBox="0 0 1000 8" preserveAspectRatio="none" aria-hidden="true">
      {captions.slice(0, marksMax).map(({ atMs, text }) => (
        <rect
          key={`${atMs} ${text}`}
          x={Math.round(((atMs - fromMs) / lengthMs) * 1000) - 1}
          y={0}
          width={3}
          height={8}
        />
      ))}
    </svg>
  );
}

/** The captions as a list of buttons: each jumps to its time. */
export function CaptionList({ page, player }: PlayerProps) {
  const { fromMs } = player.recording;
  const captions = captionsSeen({ page, player });
  if (captions.length === 0) return null;
  const now = player.recording.captions.findLast((caption) => caption.atMs <= player.atMs.value);
  return (
    <section class="card" aria-labelledby="captions-title">
      <h2 id="captions-title">Turning points</h2>
      <ol class="steps turns scroll" tabIndex={0} aria-labelledby="captions-title">
        {captions.map((caption) => (
          <li key={`${caption.atMs} ${caption.text}`} aria-current={caption === now ? "step" : undefined}>
            <time>+{lengthText(caption.atMs - fromMs)}</time>
            <button type="button" class="link" onClick={() => player.seek(caption.atMs)}>
              {caption.text}
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}
