import { HttpSession } from '../../load/http-session.ts';
import { serveLoad } from '../../load/serve-load.ts';
import { mixedTraffic } from './mixed-traffic.ts';
import type { MixedParameters } from './parameters.ts';

const LIMIT_MS = 60_000;

serveLoad((parameters: MixedParameters) =>
  mixedTraffic(parameters, async () => new HttpSession(parameters.url, { limitMs: LIMIT_MS })),
);
