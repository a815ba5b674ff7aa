import { TokenCursor } from '../../text/token-cursor.ts';
import type { SettingPairs } from '../setting-pairs.ts';
import { cutSettingsSuffix } from '../settings-suffix.ts';

/** A cursor at the same place that ends before the settings suffix, and the settings. */
export function withoutSettings(cursor: TokenCursor): {
  readonly cursor: TokenCursor;
  readonly settings: SettingPairs;
} {
  const { sql, settings } = cutSettingsSuffix(cursor.text, cursor.tokens);
  if (settings.length === 0) return { cursor, settings };
  const shorter = new TokenCursor(sql);
  while (shorter.index < cursor.index && shorter.next() !== undefined);
  return { cursor: shorter, settings };
}
