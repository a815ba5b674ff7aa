import { fail } from '@tessera/common';
import { internalCall } from '../functions/expressions.ts';
import { type CastNode, call, cast, constant, type Expression } from '../tree.ts';
import { timeLiteral } from './time-texts.ts';

const MICROSECOND_DIGITS = 6;

/**
 * `x::timestamp(3)` rounds, `x::varchar(3)` cuts, and `x::char(3)` also removes the blanks at the end, which have no meaning, as in
 * PostgreSQL. The text for the parser has names of its own for these types (`limitedType` in `text/source.ts`). Other casts are returned as
 * they are.
 * @throws TesseraError INVALID_ARGUMENT for more digits than a timestamp has, and for texts without characters
 */
export function limitedCast(node: CastNode): Expression {
  const { type_info } = node.cast_type;
  if (type_info?.type !== 'UNBOUND_TYPE_INFO') return node;
  const { name, user_type_modifiers } = type_info;
  if (name !== 'tsr_timestamp' && name !== 'tsr_varchar' && name !== 'tsr_char') return node;
  const [modifier] = user_type_modifiers as readonly { readonly value?: unknown }[];
  const limit = Number(modifier?.value ?? 0);
  const value = limited(node, name, limit);
  return { ...value, alias: node.alias, query_location: node.query_location };
}

function limited({ child, try_cast }: CastNode, name: string, limit: number): Expression {
  if (name !== 'tsr_timestamp') {
    const type = name === 'tsr_char' ? 'char' : 'varchar';
    if (limit < 1) fail('INVALID_ARGUMENT', { message: `length for type ${type} must be at least 1` });
    const text = call('left', cast(child, 'VARCHAR', try_cast), constant(limit));
    return type === 'char' ? call('rtrim', text, constant(' ')) : text;
  }
  if (limit > MICROSECOND_DIGITS) fail('INVALID_ARGUMENT', { message: 'A timestamp has 0 to 6 digits' });
  const time = timeLiteral(cast(child, 'TIMESTAMP', try_cast));
  return limit === MICROSECOND_DIGITS ? time : internalCall('rounded_time', time, constant(limit));
}
