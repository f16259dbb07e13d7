#!/usr/bin/perl
# Stands in for gcov when lcov reads the counts: what branch coverage counts shall be decisions that somebody wrote. Out of
# gcov's JSON it takes
#   - the two edges of every call that may throw (it returned; it threw), nearly all of them in the standard library,
#   - what gcov itself marks as reachable by exceptions only ($$$$$ blocks, ===== lines): the cleanup after such a call.
#
# lcov 1.16 has geninfo_no_exception_branch and LCOV_EXCL_EXCEPTION_BR_LINE for the first, and as packaged by Debian both do
# nothing: geninfo defines its function for gcov's JSON twice, and the second definition has no such filter.
use strict;
use warnings;
use Cwd qw(getcwd);
use IO::Compress::Gzip qw(gzip $GzipError);
use IO::Uncompress::Gunzip qw(gunzip $GunzipError);

system('gcov', @ARGV) == 0 or exit($? >> 8 || 1);

# What only gcov's text says, by "source:line": whether the line, and each edge of it, is for exceptions alone.
my (%line_is_exceptional, %edge_is_exceptional);

sub read_marks {
    my ($sources_folder) = @_;
    my @arguments = grep { !/^(-i|--json-format|--intermediate-format|-h|-x|--hash-filenames)$/ } @ARGV;
    my $here = getcwd;
    chdir $sources_folder or return;    # gcov shows lines only of sources that it finds
    open my $text, '-|', 'gcov', '-a', '-b', '-c', '-t', @arguments or die "gcov: $!";
    my ($source, $line, $exceptional);
    while (<$text>) {
        if    (/^\s*-:\s*0:Source:(.*)/)          { $source = $1 }
        elsif (/^\s*(\S+):\s*(\d+)-block\s+\d+/)  { $exceptional = $1 eq '$$$$$' }
        elsif (/^\s*(\S+):\s*(\d+):/)             { $line = "$source:$2"; $line_is_exceptional{$line} = $1 eq '=====' }
        elsif (/^branch\s/)                       { push @{$edge_is_exceptional{$line}}, $exceptional }
    }
    close $text;
    chdir $here or die "$here: $!";
}

# geninfo passes over a line that has no number.
sub numbered {
    my ($line) = @_;
    my ($number) = $line =~ /:(\d+)$/;
    return ($line_is_exceptional{$line} ? '"exceptional_line": ' : '"line_number": ') . $number;
}

# The edges of one line, as in the JSON. The edge on which a call returns stands before the one on which it throws.
sub counted {
    my ($line, $list) = @_;
    my @edges = $list =~ /\{.*?\}/g;
    my @marks = @{$edge_is_exceptional{$line} // []};
    @marks = () if @marks != @edges;    # a line of several instances of a template: not told apart there
    my @kept;
    for my $i (0 .. $#edges) {
        if    ($edges[$i] =~ /"throw": true/) { pop @kept }
        else                                  { push @kept, $i }
    }
    return '"branches": [' . join(', ', map { $edges[$_] } grep { !$marks[$_] } @kept) . ']';
}

for my $file (glob '*.gcov.json.gz') {
    gunzip $file => \my $json or die "$file: $GunzipError";
    read_marks($1) if $json =~ /"current_working_directory": "([^"]*)"/;
    my @of_files = split /(?=\{"lines": \[)/, $json;
    for (@of_files) {
        my ($source) = /"file": "([^"]*)"/ or next;
        s/"branches": \[(.*?)\](, "count": \d+, )"line_number": (\d+)/counted("$source:$3", $1) . $2 . numbered("$source:$3")/ge;
    }
    $json = join '', @of_files;
    gzip \$json => $file or die "$file: $GzipError";
}
