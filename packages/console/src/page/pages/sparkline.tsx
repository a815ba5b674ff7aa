const WIDTH = 220;
const HEIGHT = 44;

interface SparklineProps {
  readonly label: string;
  readonly text: string;
  /** From the oldest to the newest; null where nothing was measured. */
  readonly values: readonly (number | null)[];
  /** The value of the upper edge; the largest value if it is not given. */
  readonly max?: number;
}

/** A small line of the latest values, with the newest one as text. */
export function Sparkline({ label, text, values, max }: SparklineProps) {
  const top = max ?? Math.max(1, ...values.map((value) => value ?? 0)) * 1.1;
  const points = values.flatMap((value, at) =>
    value === null
      ? []
      : [
          `${((at / Math.max(values.length - 1, 1)) * WIDTH).toFixed(1)},${(HEIGHT - (value / top) * HEIGHT).toFixed(1)}`,
        ],
  );
  return (
    <figure class="sparkline">
      <figcaption>
        {label} <b>{text}</b>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}: ${text}`}
      >
        {points.length > 1 && (
          <>
            <polygon
              points={`${points[0]!.split(',')[0]},${HEIGHT} ${points.join(' ')} ${points.at(-1)!.split(',')[0]},${HEIGHT}`}
            />
            <polyline points={points.join(' ')} />
          </>
        )}
      </svg>
    </figure>
  );
}
