import { z } from 'zod';
import { REFERENCE_PATTERN } from '../references.ts';
import { declarationOf } from '../schema/parameter.ts';
import { root } from '../schema/root.ts';

/**
 * Makes a JSON Schema (2020-12) of the configuration file, for editors. It does not contain the rules between
 * parameters.
 */
export function configurationJsonSchema(): Record<string, unknown> {
  return {
    title: 'Tessera engine configuration',
    ...z.toJSONSchema(root, {
      io: 'input',
      unrepresentable: 'any',
      override({ zodSchema, jsonSchema }) {
        const declaration = declarationOf(zodSchema as unknown as z.ZodType);
        // Nested schemas of a parameter, such as that of its elements, need no changes.
        if (declaration === undefined) return;
        const { jsonSchema: own, meaning, default: value, effect } = declaration;
        // YAML reads a block whose parameters are all commented out as null.
        const isOptionalBlock = declaration.fields !== undefined && value !== undefined && value !== null;
        if (isOptionalBlock) orAlso(jsonSchema, { type: 'null' });
        if (own !== undefined) {
          for (const key of Object.keys(jsonSchema)) delete jsonSchema[key as keyof typeof jsonSchema];
          Object.assign(jsonSchema, value === null ? { anyOf: [own, { type: 'null' }] } : own);
        }
        if (own !== undefined || !['string', 'object', 'object[]'].includes(declaration.type))
          orAlso(jsonSchema, { $ref: '#/$defs/reference' });
        jsonSchema.description =
          effect === undefined || effect === 'in effect'
            ? meaning
            : `${meaning} (not yet in effect: ${effect})`;
        if (value !== undefined) jsonSchema.default = value as never;
      },
    }),
    $defs: {
      reference: {
        description: 'the value of an environment variable, or the content of a file',
        type: 'string',
        pattern: REFERENCE_PATTERN,
      },
    },
  };
}

/** Allows a value of another schema wherever this schema is used. */
function orAlso(schema: z.core.JSONSchema.BaseSchema, other: z.core.JSONSchema.BaseSchema): void {
  if (schema.anyOf !== undefined) schema.anyOf.push(other);
  else {
    const value = { ...schema };
    for (const key of Object.keys(schema)) delete schema[key];
    schema.anyOf = [value, other];
  }
}
