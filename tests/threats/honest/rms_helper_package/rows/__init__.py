"""Operations on rows."""
