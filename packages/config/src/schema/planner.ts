import { NOW } from './effect.ts';
import { block, integer } from './parameter.ts';

export const planner = block(
  'query planner configuration',
  {
    automated_column_statistics: block(
      'automated column-statistics cache settings',
      {
        cache_max_size_bytes: integer('maximum cache size in bytes (100 MiB)', {
          default: 104_857_600,
          effect: NOW,
        }),
      },
      { default: {} },
    ),
  },
  { default: {} },
);
