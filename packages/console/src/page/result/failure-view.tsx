import { describedIn, type Failure, placeIn } from '../engine/answer.ts';
import type { Statement } from '../state/outcome.ts';

interface FailureViewProps {
  readonly failure: Failure;
  /** The statement that failed. */
  readonly statement: Statement;
  /** Selects a range of the statement in the editor. */
  onShow(start: number, end: number): void;
}

/** A long line is scrolled until the place is in the middle. */
const showInLine = (mark: HTMLElement | null): void =>
  mark?.scrollIntoView({ block: 'nearest', inline: 'center' });

/** An error with the line it points at, and the place marked in it. */
export function FailureView({ failure, statement, onShow }: FailureViewProps) {
  const place = failure.location && placeIn(statement.sql, failure.location);
  return (
    <div class="error" role="alert">
      <p>{describedIn(failure, statement.place)}</p>
      {place && (
        <pre>
          {place.line.slice(0, place.start - place.lineStart)}
          <mark ref={showInLine}>
            {place.line.slice(place.start - place.lineStart, place.end - place.lineStart) || ' '}
          </mark>
          {place.line.slice(place.end - place.lineStart)}
        </pre>
      )}
      {failure.resolution && <p class="resolution">{failure.resolution}</p>}
      <div class="row">
        <small>{[failure.name, failure.code].filter(Boolean).join(' · ')}</small>
        {place && (
          <button type="button" onClick={() => onShow(place.start, place.end)}>
            Show in the statement
          </button>
        )}
      </div>
    </div>
  );
}
