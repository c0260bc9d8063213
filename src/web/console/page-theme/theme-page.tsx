import { Box, Button, Checkbox, FormControlLabel, Typography } from '@mui/material';
import { useEffect, useState } from 'react';
import { useRefresh, useTranslate } from 'react-admin';
import { Act } from '../parts/act';
import { Section } from '../parts/facts';
import { Heading } from '../parts/heading';
import { Input } from '../parts/input';
import { Problem } from '../parts/problem';
import { useReading } from '../parts/reading';
import { api } from '../server/api';

const PATH = '/payment-links/1.0.0/theme';
const LOGO = '/payment-links/1.0.0/theme/logo';
/** What the page has without a theme (src/api/pay/page.css). */
const USUAL = { accent: '#1d4ed8', ground: '#f2f4f7' };
/** A label that looks like a button; the input in it is what is pressed. */
const LABEL = { component: 'label', role: undefined, tabIndex: -1 } as const;
const UNSEEN = { position: 'absolute', inset: 0, opacity: 0, width: '100%' } as const;
const PICTURES = 'image/png,image/jpeg,image/webp';

interface Look {
  name: string;
  /** Undefined: as usual. */
  accent?: string;
  ground?: string;
}

/** Name, colours and logo of the buyer's page, with a preview. The API refuses colours that cannot be read. */
export default function ThemePage() {
  const translate = useTranslate();
  const refresh = useRefresh();
  const { data, error } = useReading(['theme'], (signal) => api.get(PATH, { signal }));
  const [look, setLook] = useState<Look>({ name: '' });
  const [logo, setLogo] = useState<File>();
  useEffect(() => {
    if (data) setLook({ name: data.name ?? '', accent: data.accent ?? undefined, ground: data.ground ?? undefined });
  }, [data]);
  return (
    <>
      <Heading title={translate('pageTheme.title')} />
      <Problem error={error} />
      <Box
        sx={{
          display: 'grid',
          gap: 2,
          gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'minmax(0, 1fr) minmax(0, 1fr)' },
        }}
      >
        <Section title={translate('pageTheme.look')}>
          <Input
            label={translate('pageTheme.name')}
            helperText={translate('pageTheme.nameHelp')}
            value={look.name}
            onChange={(name) => setLook({ ...look, name })}
          />
          <ColourInput of="accent" look={look} onChange={setLook} />
          <ColourInput of="ground" look={look} onChange={setLook} />
          <Box sx={{ mt: 2 }}>
            <Act
              id="page-theme"
              label={translate('pageTheme.set')}
              variant="contained"
              question={translate('pageTheme.question')}
              values={look}
              send={() =>
                api.put(PATH, {
                  body: { name: look.name || null, accent: look.accent ?? null, ground: look.ground ?? null },
                })
              }
              onDone={refresh}
            />
          </Box>
        </Section>
        <Section title={translate('pageTheme.preview')}>
          <Preview look={look} logo={logo} />
        </Section>
        <Section title={translate('pageTheme.logo')}>
          <Typography variant="body2">{translate(data?.logo ? 'pageTheme.hasLogo' : 'pageTheme.noLogo')}</Typography>
          <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, mt: 1 }}>
            <Button {...LABEL} size="small" variant="outlined">
              {logo?.name ?? translate('pageTheme.choose')}
              <input
                type="file"
                accept={PICTURES}
                // Not hidden: the keyboard reaches it.
                style={UNSEEN}
                aria-label={translate('pageTheme.choose')}
                onChange={(event) => setLogo(event.target.files?.[0])}
              />
            </Button>
            <Act
              id="page-theme-logo"
              label={translate('pageTheme.setLogo')}
              question={translate('pageTheme.logoQuestion')}
              values={logo && [logo.name, logo.size, logo.lastModified]}
              disabled={!logo}
              send={() => api.put(LOGO, { file: logo! })}
              onDone={() => refresh()}
            />
            <Act
              id="page-theme-no-logo"
              label={translate('pageTheme.removeLogo')}
              question={translate('pageTheme.removeQuestion')}
              color="error"
              disabled={!data?.logo}
              send={() => api.delete(LOGO)}
              onDone={() => refresh()}
            />
          </Box>
        </Section>
      </Box>
    </>
  );
}

interface ColourProps {
  of: 'accent' | 'ground';
  look: Look;
  onChange(look: Look): void;
}

function ColourInput({ of, look, onChange }: ColourProps) {
  const translate = useTranslate();
  const own = look[of];
  return (
    <Box sx={{ display: 'flex', gap: 1, alignItems: 'center' }}>
      <FormControlLabel
        control={
          <Checkbox
            checked={own !== undefined}
            onChange={(_, isOwn) => onChange({ ...look, [of]: isOwn ? USUAL[of] : undefined })}
          />
        }
        label={translate(`pageTheme.own.${of}`)}
      />
      {own !== undefined && (
        <Box sx={{ width: 150 }}>
          <Input
            label={translate(`pageTheme.${of}`)}
            type="color"
            value={own}
            onChange={(value) => onChange({ ...look, [of]: value })}
          />
        </Box>
      )}
    </Box>
  );
}

/** The page in small, by the colours that are chosen now; saved or not. */
function Preview({ look: { name, accent = USUAL.accent, ground = USUAL.ground }, logo }: { look: Look; logo?: File }) {
  const translate = useTranslate();
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    if (!logo) return setAddress(undefined);
    const made = URL.createObjectURL(logo);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [logo]);
  return (
    // A picture for those who see it: what it says stands in the inputs.
    <Box aria-hidden sx={{ bgcolor: ground, p: 3, borderRadius: 1, color: '#1a2433', minHeight: 200 }}>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, mb: 2 }}>
        {address && <img src={address} alt="" style={{ maxHeight: 48, maxWidth: 200 }} />}
        <strong>{name || translate('pageTheme.seller')}</strong>
      </Box>
      <Box sx={{ bgcolor: '#ffffff', borderRadius: 1, p: 2 }}>
        <Typography>{translate('pageTheme.bill')}</Typography>
        <Box sx={{ mt: 2, bgcolor: accent, color: '#ffffff', borderRadius: 1, p: 1, textAlign: 'center' }}>
          {translate('pageTheme.pay')}
        </Box>
        <Typography sx={{ mt: 1, color: accent, textDecoration: 'underline' }}>
          {translate('pageTheme.link')}
        </Typography>
      </Box>
    </Box>
  );
}
