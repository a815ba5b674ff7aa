import { type ErrorExtras, TesseraError } from '@tessera/common';
import { called, kindOf, publicNames, shownClause, shownFunction, suggestion } from './dialect-names.ts';
import { withDialectTypes } from './dialect-type.ts';
import type { Translation } from './translation.ts';

const CHECK_ARGUMENTS = 'Check the number and the types of the arguments, or add explicit casts.';
const ADD_CASTS = 'Add explicit casts.';

/** Every kernel message that users see passes through this table; the first matching row applies. */
const TRANSLATIONS: readonly Translation[] = [
  // Names
  {
    says: /^Referenced column "(.*?)" not found in FROM clause!(?:\nCandidate bindings: (.*))?/s,
    error: 'UNDEFINED_NAME',
    message: (name, candidates) => `Column "${name}" does not exist${suggestion(name, candidates)}`,
  },
  {
    says: /^Referenced column "(.*?)" was not found because the FROM clause is missing/s,
    error: 'UNDEFINED_NAME',
    message: (name) => `Column "${name}" does not exist: there is no FROM clause to take it from`,
  },
  {
    says: /^(?:Table|Values list) "(.*?)" does not have a column named "(.*?)"(?:\s+Candidate bindings: :? ?(.*))?/s,
    error: 'UNDEFINED_NAME',
    message: (table, name, candidates) =>
      `Column "${name}" of "${table}" does not exist${suggestion(name, candidates)}`,
  },
  {
    says: /^Referenced table "(.*?)" not found!(?:\nCandidate tables: (.*))?/s,
    error: 'UNDEFINED_TABLE',
    message: (name, candidates) => `Table "${name}" is not in FROM${suggestion(name, candidates)}`,
  },
  {
    says: /^Cannot compare values of type (.+?) and (?:type )?(.+?) in IN\/ANY\/ALL clause/s,
    error: 'UNDEFINED_FUNCTION',
    message: (left, right) =>
      `${withDialectTypes(left)} and ${withDialectTypes(right)} cannot be compared with IN, ANY or ALL`,
    resolution: ADD_CASTS,
  },
  {
    says: /^Could not find key "(.*?)" in struct\s+Candidate Entries: (.*)$/s,
    error: 'UNDEFINED_NAME',
    message: (name, candidates) => `The struct has no field "${name}"${suggestion(name, candidates)}`,
  },
  {
    says: /^struct_extract with a string key cannot be used on an unnamed struct/,
    error: 'UNDEFINED_NAME',
    message: () => 'The fields of ROW (…) have no names',
    resolution: 'Name them: {a: 1, b: 2}.',
  },
  {
    says: /^Column "(.*?)" does not exist on (left|right) side of join!/s,
    error: 'UNDEFINED_NAME',
    message: (name, side) => `Column "${name}" in USING does not exist on the ${side} side of the join`,
  },
  {
    says: /^Could not ORDER BY column "(.*?)": add the expression/s,
    error: 'UNDEFINED_NAME',
    message: (name) => `ORDER BY "${name}": the result of UNION, INTERSECT or EXCEPT has no such column`,
  },
  {
    says: /^Ambiguous reference to column name "(.*?)" \(use: (.*)\)/s,
    error: 'AMBIGUOUS_NAME',
    message: (name, uses) => `Column "${name}" is ambiguous: it may be ${uses.replaceAll('"', '')}`,
  },
  {
    says: /^Ambiguous reference to table "(.*?)"/s,
    error: 'DUPLICATE_ALIAS',
    message: (name) => `Table name "${name}" is used more than once in FROM: use different aliases`,
  },

  // Functions and operators
  {
    says: /^(?:Scalar|Aggregate|Table) Function with name "?(row_number|rank|dense_rank|percent_rank|cume_dist|ntile|lag|lead|first_value|last_value|nth_value)"? does not exist/,
    error: 'WRONG_OBJECT_TYPE',
    message: (name) => `${name} is a window function: it needs OVER (…)`,
  },
  {
    says: /^(?:Scalar|Aggregate|Table) (?:Macro )?Function with name "?(percentile_cont|percentile_disc)"? does not exist/,
    error: 'UNDEFINED_FUNCTION',
    message: (name) => `${name} needs WITHIN GROUP (ORDER BY …)`,
  },
  {
    says: /^(?:Scalar|Aggregate|Table) (?:Macro )?Function with name "?`(?:__postfix)?"? does not exist/,
    error: 'SYNTAX_ERROR',
    message: () => 'Syntax error at or near "`": names are quoted with double quotes',
  },
  {
    says: /^(?:Scalar|Aggregate|Table) (?:Macro )?Function with name "?(.*?)"? does not exist!(?:\nDid you mean (.*)\?)?/s,
    error: 'UNDEFINED_FUNCTION',
    message: (name, candidates) =>
      `${kindOf(name)} ${shownFunction(name)} does not exist${suggestion(name, publicNames(candidates))}`,
  },
  {
    says: /^(?:Scalar|Aggregate|Table) (?:Macro )?Function with name "?(.*?)"? is not in the catalog/s,
    error: 'UNDEFINED_FUNCTION',
    message: (name) => `Function ${shownFunction(name)} does not exist`,
  },
  {
    says: /^Cannot deduce template type '\w+' in function: 'list_value\(.*\n - '([^'\n]*)', [^\n]*\n - '([^'\n]*)', which/s,
    error: 'DATATYPE_MISMATCH',
    message: (first, second) =>
      `The elements of an array must have one type, not ${withDialectTypes(first)} and ${withDialectTypes(second)}`,
    resolution: ADD_CASTS,
  },
  {
    says: /^Cannot deduce template type '\w+' in function: '(\w+)\(.*\n - '([^'\n]*)', [^\n]*\n - '([^'\n]*)', which/s,
    error: 'UNDEFINED_FUNCTION',
    message: (name, first, second) =>
      `${kindOf(shownFunction(name))} ${shownFunction(name)}: the elements and values must have one type, not ${withDialectTypes(first)} and ${withDialectTypes(second)}`,
    resolution: ADD_CASTS,
  },
  {
    says: /^(?:Macro "?(\w+)"?\(\) (?:does not support the supplied arguments|has positional argument following)|Function '?(\w+)'? has a template parameter)/,
    error: 'UNDEFINED_FUNCTION',
    message: (macro, name) =>
      `Function ${shownFunction(macro || name)} cannot be called with these arguments`,
    resolution: CHECK_ARGUMENTS,
  },
  {
    says: /^(?:Invalid LIST argument during lambda function binding|Parameter type needs to be List|Slice with steps has not been implemented for string types)/,
    error: 'UNDEFINED_FUNCTION',
    message: () => 'A function for arrays was called with a value that is not an array',
    resolution: CHECK_ARGUMENTS,
  },
  {
    says: /^Need named argument for struct pack/,
    error: 'UNDEFINED_FUNCTION',
    message: () => 'The fields of a struct need names',
    resolution: 'Write {a: 1, b: 2}.',
  },
  {
    says: /^Cannot mix values of type (.+?) and "NULL"\[\] in COALESCE operator/s,
    error: 'WRONG_OBJECT_TYPE',
    message: (type) => `ANY and ALL require an array or a subquery, not ${withDialectTypes(type)}`,
  },
  {
    says: /^(?:No matching aggregate function\nBinder Error: )?No function matches the given name and argument types '(.*?)\((.*?)\)'\./s,
    error: 'UNDEFINED_FUNCTION',
    message: (name, types) => `${called(name, types)} does not exist`,
    resolution: CHECK_ARGUMENTS,
  },
  {
    says: /^Could not choose a best candidate function for the function call "(.*?)\((.*?)\)"/s,
    error: 'AMBIGUOUS_FUNCTION',
    message: (name, types) => `${called(name, types)} is not unique`,
    resolution: ADD_CASTS,
  },
  {
    says: /^ARRAY_SLICE can only operate on LISTs and VARCHARs/,
    error: 'UNDEFINED_FUNCTION',
    message: () => 'length, octet_length, substring and [from:to] require text, bytea or an array',
    resolution: ADD_CASTS,
  },
  {
    says: /^Function "(.*?)" is a table function but it was used as a scalar function/s,
    error: 'BINDING_ERROR',
    message: (name) => `${name} returns a table: call it in FROM`,
  },
  {
    says: /^Function "(.*?)" is a (?:Scalar|Macro) Function\. "DISTINCT", "FILTER", and "ORDER BY"/s,
    error: 'WRONG_OBJECT_TYPE',
    message: (name) =>
      `DISTINCT, FILTER and ORDER BY are allowed only in calls of aggregate functions; ${shownFunction(name)} is not one`,
  },

  {
    says: /^Window function macros must be functions/,
    error: 'WRONG_OBJECT_TYPE',
    message: () => 'OVER is allowed only after aggregate functions and window functions',
  },
  {
    says: /^\* expression without FROM clause/,
    error: 'SYNTAX_ERROR',
    message: () => '* needs relations in FROM',
  },
  {
    says: /^Max expression depth limit of (\d+) exceeded/,
    error: 'SYNTAX_ERROR',
    message: (levels) => `The statement is nested too deep: at most ${levels} levels of expressions`,
  },
  {
    says: /^Failed to cast value to numerical: (.*)/s,
    error: 'CAST_ERROR',
    message: (document) => `The JSON value ${document} is not a number`,
  },
  {
    says: /^Expected array, but got (\w+): (.*)/s,
    error: 'CAST_ERROR',
    message: (_, document) => `The JSON value ${document} is not an array`,
  },
  {
    says: /^(\w+) is not an aggregate function/,
    error: 'WRONG_OBJECT_TYPE',
    message: (name) => `${shownFunction(name)} is neither an aggregate function nor a window function`,
  },
  {
    says: /^Like pattern must not end with escape character/,
    error: 'INVALID_ESCAPE',
    message: () => 'The pattern of LIKE must not end with the escape character',
  },
  {
    says: /^(malformed array literal: .*)$/s,
    error: 'CAST_ERROR',
    message: (what) => what,
  },
  {
    says: /^(mismatched array dimensions|array must have even number of elements)$/,
    error: 'ARRAY_ELEMENT_ERROR',
    message: (what) => what,
  },
  {
    says: /^Invalid escape string/,
    error: 'INVALID_ESCAPE',
    message: () => 'The text after ESCAPE must be empty or one character',
  },

  // Grouping and windows
  {
    says: /^column "?\$(?:tablet|row)"? must appear in the GROUP BY clause/s,
    error: 'GROUPING_ERROR',
    message: () => 'Aggregate functions are not allowed in SET and RETURNING',
    resolution: 'Use a subquery.',
  },
  {
    says: /^column "?(.*?)"? must appear in the GROUP BY clause or (?:must )?be /s,
    error: 'GROUPING_ERROR',
    message: (name) => `Column "${name}" must appear in GROUP BY or be used in an aggregate function`,
  },
  {
    says: /^(WHERE|GROUP BY|HAVING|RETURNING|ON|JOIN|LIMIT|OFFSET|VALUES|INSERT statement|Table function) (?:clause )?cannot contain aggregates/i,
    error: 'GROUPING_ERROR',
    message: (clause) => `Aggregate functions are not allowed in ${shownClause(clause)}`,
  },
  {
    says: /^(WHERE|GROUP BY|HAVING|RETURNING|ON|JOIN|LIMIT|OFFSET|VALUES|INSERT statement|Table function) (?:clause )?cannot contain window functions/i,
    error: 'WINDOWING_ERROR',
    message: (clause) => `Window functions are not allowed in ${shownClause(clause)}`,
  },
  {
    says: /^window function calls cannot be nested/,
    error: 'WINDOWING_ERROR',
    message: () => 'Window function calls cannot be nested',
  },
  {
    says: /^(RANK|RANK_DENSE|PERCENT_RANK|CUME_DIST|ROW_NUMBER) needs 0 parameters, got \d+/,
    error: 'UNDEFINED_FUNCTION',
    message: (name) => `${shownFunction(name.toLowerCase())} takes no arguments`,
  },
  {
    says: /^Unimplemented expression class in ExpressionBinder::BindExpression: WINDOW/,
    error: 'WINDOWING_ERROR',
    message: () => 'Window functions are not allowed here',
  },
  {
    says: /^Aggregate functions are not supported here/,
    error: 'GROUPING_ERROR',
    message: () => 'Aggregate functions are not allowed here',
  },
  {
    says: /^RANGE frames must have only one ORDER BY expression/,
    error: 'WINDOWING_ERROR',
    message: () =>
      'A frame of RANGE with an offset needs exactly one expression in the ORDER BY of its window',
  },
  {
    says: /^Argument for ntile must be greater than zero/,
    error: 'INVALID_NTILE',
    message: () => 'argument of ntile must be greater than zero',
  },
  {
    says: /^(LAG|LEAD|NTILE|FIRST_VALUE|LAST_VALUE|NTH_VALUE|FIRST|LAST) needs (?:at least )?(\d+) parameters?, got (\d+)/,
    error: 'UNDEFINED_FUNCTION',
    message: (name, needed, given) =>
      `${name.toLowerCase()} needs ${needed} ${needed === '1' ? 'argument' : 'arguments'}, not ${given}`,
  },
  {
    says: /^aggregate function calls cannot (be nested|contain window function calls)/,
    error: 'GROUPING_ERROR',
    message: (what) => `Aggregate function calls cannot ${what}`,
  },
  {
    says: /^ORDER BY non-integer literal has no effect/,
    error: 'SYNTAX_ERROR',
    message: () => 'A constant in ORDER BY must be the position of a result column, not another value',
  },
  {
    says: /^(ORDER|GROUP BY) term out of range - should be between 1 and (\d+)/,
    error: 'BINDING_ERROR',
    message: (clause, count) =>
      `A position in ${clause === 'ORDER' ? 'ORDER BY' : clause} must be from 1 to ${count}, the number of result columns`,
  },

  // Subqueries and set operations
  {
    says: /^More than one row returned by a subquery used as an expression/,
    error: 'CARDINALITY_VIOLATION',
    message: () => 'More than one row returned by a subquery used as an expression',
  },
  {
    says: /^Subquery returns (\d+) columns - expected (\d+)/,
    error: 'SYNTAX_ERROR',
    message: (count, expected) => `A subquery returns ${count} columns where ${expected} is expected`,
  },
  {
    says: /^Set operations can only apply to expressions with the same number of result columns/,
    error: 'SYNTAX_ERROR',
    message: () => 'The queries of UNION, INTERSECT or EXCEPT must have the same number of columns',
  },

  {
    says: /^No columns found to join on in NATURAL JOIN/,
    error: 'BINDING_ERROR',
    message: () => 'The two sides of NATURAL JOIN have no column in common',
    resolution: 'Use CROSS JOIN for all pairs of rows.',
  },

  // Types and values
  {
    says: /^Type (STRUCT\(.*\)) does not match with (STRUCT\(.*\))\. Cannot cast STRUCTs of different size/s,
    error: 'SYNTAX_ERROR',
    message: (from, to) =>
      `${withDialectTypes(from)} and ${withDialectTypes(to)} have different numbers of fields`,
  },
  {
    says: /^Invalid (?:hex escape code|byte) encountered in string -> blob conversion of string "(.*)":/is,
    error: 'CAST_ERROR',
    message: (text) => `invalid input syntax for type bytea: "${text}"`,
  },
  {
    says: /^(?:COLLATE can only be applied to varchar columns|collations are only supported for type varchar)/i,
    error: 'DATATYPE_MISMATCH',
    message: () => 'COLLATE can only be applied to text',
  },
  {
    says: /^GROUPING (?:statement cannot be used without groups|child .* must be a grouping column)/,
    error: 'GROUPING_ERROR',
    message: () => 'The arguments of GROUPING must be expressions of GROUP BY',
  },
  {
    says: /^\w+ clause cannot contain DEFAULT clause/,
    error: 'SYNTAX_ERROR',
    message: () => 'DEFAULT is not allowed here',
  },
  {
    says: /^list_\w+: list dimensions must be equal, got left length '(\d+)' and right length '(\d+)'/,
    error: 'INVALID_ARGUMENT',
    message: (left, right) => `The vectors must have the same length, not ${left} and ${right}`,
  },
  {
    says: /^Enum value: unrecognized value "(.*?)" for enum/s,
    error: 'INVALID_ARGUMENT',
    message: (value) => `Unknown order "${value.toLowerCase()}": use ASC, DESC, NULLS FIRST or NULLS LAST`,
  },
  {
    says: /^cannot take square root of a negative number/,
    error: 'INVALID_POWER',
    message: () => 'cannot take square root of a negative number',
  },
  {
    says: /^(cannot take logarithm of (?:zero|a negative number))/,
    error: 'INVALID_LOGARITHM',
    message: (what) => what,
  },
  {
    says: /^(ACOS|ASIN|ATANH) is undefined outside/,
    error: 'OUT_OF_RANGE',
    message: (name) => `The argument of ${name.toLowerCase()} must be between -1 and 1`,
  },
  {
    says: /^Unknown TimeZone '(.*?)'/s,
    error: 'INVALID_ARGUMENT',
    message: (zone) => `time zone "${zone}" is not recognized`,
  },
  {
    says: /^Type ([A-Z]\w*(?:\(.*?\))?) with value (.*?) can't be cast because the value is out of range for the destination type (.*)$/s,
    error: 'OUT_OF_RANGE',
    message: (_, value, type) => `value ${value} is out of range for type ${withDialectTypes(type)}`,
  },
  {
    says: /^Type (.*?) with value '?(.*?)'? can't be cast to the destination type (.*)$/s,
    error: 'CAST_ERROR',
    message: (_, value, type) => `invalid input syntax for type ${withDialectTypes(type)}: "${value}"`,
  },
  {
    says: /^(?:Unimplemented type for cast|Unimplemented type for case expression|Unsupported cast) \((.*) -> (.*)\)/s,
    error: 'CANNOT_CAST',
    message: (from, to) => `cannot cast type ${withDialectTypes(from)} to ${withDialectTypes(to)}`,
  },
  {
    says: /^(?:Could not cast|Casting) value "?(.*?)"? to (?:type )?(DECIMAL\(\d+,\d+\))/s,
    error: 'OUT_OF_RANGE',
    message: (value, type) => `value ${value} is out of range for type ${withDialectTypes(type)}`,
  },
  {
    says: /^Overflow in (\w+) of ([A-Z]\w*)(?:\(\d+\))? \((.*)\)(?:[!;]|\. You might want .*)?$/s,
    error: 'OUT_OF_RANGE',
    message: (operation, type, operands) =>
      `${withDialectTypes(type)} out of range in ${operation}: ${operands}`,
  },
  {
    says: /^DECIMAL type width must be between 1 and (\d+)/,
    error: 'INVALID_ARGUMENT',
    message: (most) => `The precision of numeric must be from 1 to ${most}`,
  },
  {
    says: /^DECIMAL type scale cannot be greater than width/,
    error: 'INVALID_ARGUMENT',
    message: () => 'The scale of numeric cannot be greater than its precision',
  },
  {
    says: /^(Cannot (?:compare|concatenate) (?:values of |lists of )?types? .*?|Cannot mix values of types? .*? in BETWEEN)(?: clause)? - an explicit cast is required/s,
    error: 'UNDEFINED_FUNCTION',
    message: (what) => withDialectTypes(what.replace(' lists of', '')),
    resolution: ADD_CASTS,
  },
  {
    says: /^(Cannot (?:combine|mix) (?:values of )?types? .*?)(?: in (\w+) (?:clause|expression|operator))? - an explicit cast is required/s,
    error: 'DATATYPE_MISMATCH',
    message: (what, clause) => withDialectTypes(`${what}${clause === '' ? '' : ` in ${clause}`}`),
    resolution: ADD_CASTS,
  },
  {
    says: /^UNNEST\(\) can only be applied to lists, structs and NULL, not (.*)$/s,
    error: 'UNDEFINED_FUNCTION',
    message: (type) => `UNNEST requires an array, not ${withDialectTypes(type)}`,
  },
  {
    says: /^(?:UNNEST requires a single list as input|UNNEST\(\) requires at lease? one argument|UNNEST - unsupported extra argument)/,
    error: 'UNDEFINED_FUNCTION',
    message: () => 'UNNEST requires an array',
  },
  {
    says: /^row_to_json\(\) argument type must be STRUCT/,
    error: 'UNDEFINED_FUNCTION',
    message: () => 'row_to_json requires a row',
    resolution: 'Use to_json for other values.',
  },
  {
    says: /^Period must be greater than 0/,
    error: 'DATETIME_OUT_OF_RANGE',
    message: () => 'The width of date_bin must be greater than zero',
  },
  {
    says: /^Cannot subtract infinite (dates|timestamps)/,
    error: 'DATETIME_OUT_OF_RANGE',
    message: (values) => `Infinite ${values} cannot be subtracted`,
  },
  {
    says: /^Overflow in multiplication of INTERVAL/,
    error: 'DATETIME_OUT_OF_RANGE',
    message: () => 'interval out of range',
  },
  {
    says: /^(?:Epoch seconds out of range for|Seconds of a timestamp out of range)/,
    error: 'DATETIME_OUT_OF_RANGE',
    message: () => 'timestamp out of range',
  },
  {
    says: /^(requested length too large: .*|texts too long to compare: .*)$/s,
    error: 'VALUE_TOO_LARGE',
    message: (what) => what,
  },
  {
    says: /^(convert_from: unknown encoding .*)$/s,
    error: 'INVALID_ARGUMENT',
    message: (what) => what,
  },
  {
    says: /^Cannot extract field '(.*?)' from expression "(.*?)" because it is not a struct/s,
    error: 'UNDEFINED_NAME',
    message: (field, of) => `Cannot read field "${field}" of "${of}": it is not a struct`,
  },
  {
    says: /^STAR expression is only allowed as the root element/,
    error: 'BINDING_ERROR',
    message: () => '* is not allowed here',
  },
  {
    says: /^Malformed JSON at byte (\d+) of input: (.*?)\.\s+Input: (.*?)(?: when casting from source column .*)?$/s,
    error: 'CAST_ERROR',
    message: (byte, what, input) => `invalid input syntax for type json: ${input} (${what} at byte ${byte})`,
  },
  {
    says: /^Could not parse string (".*?") according to format specifier .*?\nError: (\w+ out of range.*)$/s,
    error: 'DATETIME_OUT_OF_RANGE',
    message: (text, what) => `date or time out of range: ${text} (${what.trim()})`,
  },
  {
    says: /^Could not parse string (".*?") according to format specifier .*?\nError: (.*)$/s,
    error: 'INVALID_DATETIME_FORMAT',
    message: (text, what) => `${text} does not match the pattern (${what.trim()})`,
  },
  {
    says: /^((?:cannot (?:get array length of|extract elements from|call jsonb?_\w+ on|delete from|delete path in|set path in|replace existing key|cast jsonb)|field name must not be null|argument \d+: key must not be null).*)$/s,
    error: 'INVALID_ARGUMENT',
    message: (what) => what,
  },
  {
    says: /^(operator is not unique: .*)$/s,
    error: 'AMBIGUOUS_FUNCTION',
    message: (what) => what,
  },
  {
    says: /^UNNEST not supported here/,
    error: 'BINDING_ERROR',
    message: () => 'Functions that return several rows are not allowed here',
  },
  {
    says: /^(path element at position \d+ is not an integer: .*)$/s,
    error: 'CAST_ERROR',
    message: (what) => what,
  },
  {
    says: /^(invalid format specification for an interval value)/,
    error: 'INVALID_DATETIME_FORMAT',
    message: (what) => what,
  },
  {
    says: /^extract specifier "(.*?)" not recognized/s,
    error: 'INVALID_ARGUMENT',
    message: (unit) =>
      `unit "${unit}" is not recognized (use year, month, day, hour, minute or second, for example)`,
  },
  {
    says: /^(?:(Date|Time) out of range(: .*)?|Date and time not in timestamp range)$/,
    error: 'DATETIME_OUT_OF_RANGE',
    message: (kind, value) => `${kind.toLowerCase() || 'timestamp'} out of range${value}`,
  },
  {
    says: /^Can't bucket using (?:zero|negative)/,
    error: 'DATETIME_OUT_OF_RANGE',
    message: () => 'stride must be greater than zero',
  },
  {
    says: /^interval cannot be 0/,
    error: 'INVALID_ARGUMENT',
    message: () => 'step size cannot equal zero',
  },
  {
    says: /^(negative substring length not allowed)/,
    error: 'INVALID_SUBSTRING',
    message: (what) => what,
  },
  {
    says: /^(count must be greater than zero|lower bound cannot equal upper bound|operand, lower bound, and upper bound cannot be NaN|lower and upper bounds must be finite)/,
    error: 'INVALID_WIDTH_BUCKET',
    message: (what) => what,
  },
  {
    says: /^(number of elements to trim must be between .*|index -?\d+ out of valid range, .*)/,
    error: 'ARRAY_ELEMENT_ERROR',
    message: (what) => what,
  },
  {
    says: /^ROUND\(numeric, integer\) with non-constant precision/i,
    error: 'UNDEFINED_FUNCTION',
    message: () => 'round of a numeric requires a number of digits that is a constant',
    resolution: 'Cast the value to double precision.',
  },
  {
    says: /^(thresholds array must not contain NULLs|dimension values cannot be null|null values cannot be formatted .*|null value not allowed for object key|initial position must not be null)/,
    error: 'NULL_NOT_ALLOWED',
    message: (what) => what,
  },
  {
    says: /^(split_part: the field position must not be zero|unrecognized encoding .*|invalid value for parameter .*|invalid hexadecimal data: .*)/,
    error: 'INVALID_ARGUMENT',
    message: (what) => what,
  },
  {
    says: /^Invalid input for hex digit: (.*)$/s,
    error: 'INVALID_ARGUMENT',
    message: (digit) => `invalid hexadecimal digit: "${digit}"`,
  },
  {
    says: /^Could not decode string "(.*)" as base64: (.*)$/s,
    error: 'INVALID_ARGUMENT',
    message: (text, what) => `"${text}" is not valid base64: ${what}`,
  },
  {
    says: /^(?:(input is out of range)|(?:PERCENTILEs|QUANTILE) can only take parameters)/,
    error: 'OUT_OF_RANGE',
    message: (what) => what || 'a percentile must be in the range [0, 1]',
  },
  {
    says: /^Invalid UTF8 Codepoint (-\d+)/,
    error: 'INVALID_ARGUMENT',
    message: (code) => `${code} is not a valid character code`,
  },
  {
    says: /^(?:Invalid UTF8 Codepoint (\d+)|(\d+) is not a valid character code$)/,
    error: 'VALUE_TOO_LARGE',
    message: (code, surrogate) => `${code || surrogate} is not a valid character code`,
  },
  {
    says: /^Needed scale (\d+) to accurately represent the multiplication result/,
    error: 'OUT_OF_RANGE',
    message: (decimals) => `The product needs ${decimals} decimals, and numeric has at most 38`,
    resolution: 'Cast an operand to a numeric with fewer decimals, or to double precision.',
  },
  {
    says: /^(\\B is not supported in replacements .*)$/s,
    error: 'INVALID_REGULAR_EXPRESSION',
    message: (what) => what,
  },
  {
    says: /^((?:missing [\])]|no argument for repetition operator|bad repetition operator|invalid (?:escape sequence|character class(?: range)?|repetition size|perl operator|named capture group|nested repetition operator)|unexpected \)|trailing \\).*)$/s,
    error: 'INVALID_REGULAR_EXPRESSION',
    message: (what) => `invalid regular expression: ${what.replace(': (?s)', ': ')}`,
  },
];

/** The error for a message of the kernel; undefined if the table has none. */
export function translated(message: string): TesseraError | undefined {
  // A lambda is bound both as a function and as JSON's `->`; the first failure is about the function.
  const alternative = /^(?:failed to bind function, either: )+(.*?)\n or: /s.exec(message)?.[1];
  if (alternative !== undefined) return translated(alternative.replace(/!$/, ''));
  for (const { says, error, message: words, resolution } of TRANSLATIONS) {
    const match = says.exec(message);
    if (match === null) continue;
    const groups = match.slice(1).map((group: string | undefined) => group ?? '');
    const extras: ErrorExtras = resolution === undefined ? {} : { resolution };
    return TesseraError.of(error, { message: words(...groups) }, extras);
  }
  return undefined;
}

/**
 * A message without a translation, with lists of overloads and settings of the kernel removed and type names
 * translated.
 */
export const inDialectWords = (message: string): string =>
  withDialectTypes(
    message
      .replace(/\n\s*Candidate (?:functions|macros|bindings|tables):[\s\S]*$/, '')
      .replace(/\s*(?:Use|Set|Try) "?(?:SET|PRAGMA)\b[^\n]*$/gim, '')
      .replace(/!+$/, '')
      .trimEnd(),
  );
