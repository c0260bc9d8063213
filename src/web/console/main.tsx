import createCache from '@emotion/cache';
import { CacheProvider } from '@emotion/react';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Console } from './console';

// Styles that are made in the browser carry the page's nonce: its policy allows no others.
const { nonce } = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]') ?? { nonce: undefined };
const cache = createCache({ key: 'tw', nonce, prepend: true });

createRoot(document.querySelector('#root')!).render(
  <StrictMode>
    <CacheProvider value={cache}>
      <Console />
    </CacheProvider>
  </StrictMode>,
);
