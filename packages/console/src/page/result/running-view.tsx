import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Outcome } from '../state/outcome.ts';
import type { Progress } from '../state/progress.ts';
import { bytesText, countText, secondsText } from '../units.ts';

interface RunningViewProps {
  readonly outcome: Outcome & { kind: 'running' };
  cancel(): void;
}

/** A statement that runs: how far it is, for how long, and the way to end it. */
export function RunningView({ outcome: { since, sent, progress }, cancel }: RunningViewProps) {
  const now = useSignal(performance.now());
  const cancelling = useSignal(false);
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = performance.now();
    }, 100);
    return () => clearInterval(timer);
  }, [now]);
  const share = sent < 1 ? sent : progress?.percent == null ? undefined : progress.percent / 100;
  return (
    <div class="running-view">
      <progress aria-label={sent < 1 ? 'Upload' : 'Progress'} max={1} value={share} />
      <p>
        <b>
          {sent < 1
            ? 'Sending files'
            : progress?.status === 'SUSPENDED'
              ? 'Waiting for a free slot'
              : 'Running'}
        </b>
        {share !== undefined && ` ${Math.round(share * 100)} %`}
        {` · ${secondsText(Math.max(now.value - since, 0) / 1000)}`}
        {sent === 1 && progress && doneText(progress)}
      </p>
      <button
        type="button"
        disabled={cancelling.value}
        onClick={() => {
          cancelling.value = true;
          cancel();
        }}
      >
        Cancel
      </button>
    </div>
  );
}

function doneText({ rows_read, bytes_read, stages, stages_finished, nodes }: Progress): string {
  const rows = Number(rows_read ?? 0);
  const bytes = Number(bytes_read ?? 0);
  return [
    rows > 0 ? ` · ${countText(rows)} rows read` : '',
    bytes > 0 ? ` · ${bytesText(bytes)} read` : '',
    stages > 0 ? ` · stage ${Math.min(stages_finished + 1, stages)} of ${stages}` : '',
    nodes > 1 ? ` · ${nodes} nodes` : '',
  ].join('');
}
