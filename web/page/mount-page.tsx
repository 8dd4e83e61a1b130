import type { CurrentBrand } from '../api/types.ts';
import { type Catalogues, loadTexts } from '../texts/texts.ts';
import './tokens.css';
import './base.css';
import { createContext, type ReactNode, use } from 'react';
import { createRoot } from 'react-dom/client';
import { Authentication } from './authentication.tsx';
import { FaultBoundary } from './fault-boundary.tsx';
import { applyTheme } from './theme.ts';

export const BrandContext = createContext<CurrentBrand | null>(null);

/** Puts a page into its document, in the language of the document. */
export async function mountPage(page: ReactNode, furtherTexts: readonly Catalogues[] = []): Promise<void> {
  const place = document.getElementById('page');
  if (!place) throw new Error('this document has no place for a page');
  applyTheme();
  const brand = JSON.parse(place.dataset.brand ?? '{}') as CurrentBrand;
  await loadTexts(furtherTexts);
  createRoot(place).render(
    <BrandContext value={brand}>
      <FaultBoundary>
        <Authentication>{page}</Authentication>
      </FaultBoundary>
    </BrandContext>,
  );
}

export function useBrand(): CurrentBrand {
  const brand = use(BrandContext);
  if (!brand) throw new Error('there is a brand in mounted pages only');
  return brand;
}
