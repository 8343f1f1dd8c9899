import { useSignal } from "@preact/signals";
import { podsKept, readSeed, surviveFaults, survivor } from "../../../model/playground/survive-game.ts";
import { lengthText } from "../../../model/words.ts";
import type { Modes } from "../../../state/games/modes.ts";

/** The game: the seed, the score so far, and the best score. */
export function SurvivePanel({ modes: { survival, playground } }: { modes: Modes }) {
  const typed = useSignal("");
  const { value: seed } = survival.seed;
  if (seed === undefined) return null;
  const { value: score } = survival.score;
  const best = survival.best.value[String(seed)];
  const wanted = readSeed(typed.value);
  return (
    <section class="question survive" aria-label="Survive">
      <p>
        Keep the {podsKept} pods of {survivor} available for 20 minutes. node-2 dies for good after one minute, and{" "}
        {surviveFaults(seed).length} more faults follow, faster and faster, on node-3 to node-6. Press Play, pause, and
        act with kubectl: a change goes on from the moment of the playhead. The score is the time in which fewer than{" "}
        {podsKept} pods were available: less is better.
      </p>
      <p>
        Seed <strong>{seed}</strong>, the same faults for all players.{" "}
        {score !== undefined && (
          <output>
            Score so far <strong>{lengthText(score.degradedMs)}</strong>
            {score.downMs > 0 && `, of that ${lengthText(score.downMs)} without any pod`}.
          </output>
        )}
        {survival.untouchedMs.value !== undefined && (
          <span class="muted"> Without a command, it is {lengthText(survival.untouchedMs.value)} at the end.</span>
        )}
        {best !== undefined && <span class="muted"> Your best to the end: {lengthText(best)}.</span>}
      </p>
      <Commands survival={survival} />
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          if (wanted !== undefined) survival.begin(wanted);
        }}
      >
        <label>
          Another seed{" "}
          <input
            type="text"
            name="seed"
            inputMode="numeric"
            maxLength={6}
            value={typed.value}
            onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
          />
        </label>
        <button type="submit" disabled={playground.isBusy.value || wanted === undefined}>
          Play it
        </button>
        <button type="button" disabled={playground.isBusy.value} onClick={() => survival.begin(seed)}>
          Again from the beginning
        </button>
      </form>
      {survival.isOver.value && (
        <p role="status" class="right">
          {survival.isShared.value
            ? "You have seen the end of a shared run. Begin again, and play the same faults yourself."
            : "You have seen the end. Share the address: it has the seed and your commands, and no server keeps a score."}
        </p>
      )}
    </section>
  );
}

/** The commands of the run, which a player who opens an address has not seen. */
function Commands({ survival: { commands, isShared } }: Pick<Modes, "survival">) {
  if (commands.value.length === 0) return null;
  return (
    <details open={isShared.value}>
      <summary>Commands of this run: {commands.value.length}</summary>
      <ol>
        {commands.value.map(({ atMs, text }, index) => (
          <li key={index}>
            <span class="muted">{lengthText(atMs)}</span> <code>kubectl {text.replace(/^kubectl\s+/, "")}</code>
          </li>
        ))}
      </ol>
    </details>
  );
}
